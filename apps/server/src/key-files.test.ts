import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { aboutLog, aboutSecrets, leftOut } from './key-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [secrets, log] = [join(folder, 'secrets.key'), join(folder, 'log.key')]
const embedded = { DATA_DIR: folder }
const onServer = { ...embedded, DATABASE_URL: 'postgres://u:p@localhost/ulmus' }
const withFiles = { ...onServer, SECRETS_KEY_FILE: secrets, VERSION_LOG_KEY_FILE: log }

test('without files a restore says which keys are missing, where they belong, and what happens without them', () => {
  expect(leftOut(embedded)).toBe('Not in it: the settings. Keep copies elsewhere.\n')
  expect(aboutSecrets({ webhooks: 0, mails: 0 }, embedded)).toBe('')
  expect(aboutSecrets({ webhooks: 1, mails: 0 }, embedded)).toBe(
    `MISSING: the key of secrets. Only the key of the old registry opens the secrets of 1 webhook. Copy that key to ${secrets} before the first start. Without it, webhooks send nothing until each has a new secret.\n`,
  )
  expect(aboutSecrets({ webhooks: 2, mails: 1 }, onServer)).toMatch(
    /^MISSING: .* of 2 webhooks and 1 unsent mail\. Set SECRETS_KEY_FILE to/,
  )
  expect(aboutSecrets({ webhooks: 0, mails: 2 }, onServer)).toMatch(/^MISSING: .* of 2 unsent mails\. Set/)
  expect(aboutLog('continues', embedded)).toMatch(
    /continues under its name\.\nMISSING: .*log\.key before .* the start makes another key, which the log refuses\.\n$/,
  )
  expect(aboutLog('restored', embedded)).toMatch(
    /gets a new name.* Any key may sign it: the start makes one, unless .*log\.key before\.\n$/,
  )
  expect(aboutLog('moved back', embedded)).toMatch(/gets a new name, since the new place may have signed/)
  expect(aboutLog('restored', onServer)).toMatch(/ in VERSION_LOG_KEY_FILE, or it is not signed\.\n$/)
  expect(aboutLog('restored', { ...embedded, VERSION_LOG: 'off' })).toBe('')
})

test('with files a backup names what it leaves out, and a restore what must be a copy', () => {
  for (const path of [secrets, log]) writeFileSync(path, '')
  for (const settings of [embedded, withFiles]) {
    expect(leftOut(settings)).toBe(
      `Not in it: the settings, the key of secrets (${secrets}), the key of the signed log (${log}). Keep copies elsewhere.\n`,
    )
    expect(aboutSecrets({ webhooks: 1, mails: 0 }, settings)).toMatch(
      /1 webhook\. The key here is .*secrets\.key: it must be a copy/,
    )
    expect(aboutLog('continues', settings)).toMatch(/The key here is .*log\.key: it must be a copy/)
    expect(aboutLog('restored', settings)).toMatch(/The key here is .*log\.key\.\n$/)
  }
  expect(leftOut(onServer)).not.toContain('.key')
})
