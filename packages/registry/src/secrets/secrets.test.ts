import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSealing } from './key-files.ts'
import { LostSecretError, sealingOf } from './sealing.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ulmus-secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('a sealed secret opens in its row alone, shows nothing, and differs each time', () => {
  const { seal, open } = sealingOf(randomBytes(32))
  fc.assert(
    fc.property(fc.string({ minLength: 8, unit: 'grapheme' }), (secret) => {
      const sealed = seal(secret, 'webhooks:1')
      expect(open(sealed, 'webhooks:1')).toBe(secret)
      expect(() => open(sealed, 'webhooks:2')).toThrow(LostSecretError)
      expect(sealed.includes(secret)).toBe(false)
      expect(seal(secret, 'webhooks:1').equals(sealed)).toBe(false)
    }),
  )
})

test('no byte of a sealed secret can be changed or left out', () => {
  const { seal, open } = sealingOf(randomBytes(32))
  const sealed = seal('whsec_x', 'webhooks:1')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => open(changed, 'webhooks:1')).toThrow(LostSecretError)
    expect(() => open(sealed.subarray(0, at), 'webhooks:1')).toThrow(LostSecretError)
  }
})

test('a former key opens what it sealed, until it goes', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)]
  const sealed = sealingOf(first).seal('s', 'webhooks:1')
  const both = sealingOf(second, first)
  expect([both.open(sealed, 'webhooks:1'), both.isFormer(sealed)]).toEqual(['s', true])
  expect(both.isFormer(both.seal('s', 'webhooks:1'))).toBe(false)
  expect(() => sealingOf(second).open(sealed, 'webhooks:1')).toThrow(LostSecretError)
})

test('the key of a data folder is made once, for its owner alone', async () => {
  const one = await openSealing({}, folder)
  expect(readdirSync(folder)).toEqual(['secrets.key'])
  expect(statSync(join(folder, 'secrets.key')).mode & 0o777).toBe(0o600)
  const sealed = one!.seal('s', 'webhooks:1')
  expect((await openSealing({}, folder))!.open(sealed, 'webhooks:1')).toBe('s')
})

test('with a database of its own a server has secrets only with a key file', async () => {
  expect(await openSealing({}, null)).toBeNull()
  const keyFile = file('key', `${randomBytes(32).toString('base64')}\n`)
  const sealed = (await openSealing({ keyFile }, null))!.seal('s', 'webhooks:1')
  const rotated = { keyFile: file('new', randomBytes(32).toString('base64')), formerKeyFile: keyFile }
  expect((await openSealing(rotated, null))!.open(sealed, 'webhooks:1')).toBe('s')
})

test('a faulty key file is refused with its variable, its path and the way out', async () => {
  for (const text of [
    '',
    'short',
    randomBytes(31).toString('base64'),
    'x'.repeat(44),
    randomBytes(64).toString('base64'),
  ])
    await expect(openSealing({ keyFile: file('key', text) }, null)).rejects.toThrow(
      /^SECRETS_KEY_FILE is .*key, which must have 32 random bytes.*openssl rand -base64 32/,
    )
  const missing = join(folder, 'none')
  await expect(openSealing({ keyFile: missing }, folder)).rejects.toThrow(
    /^SECRETS_KEY_FILE is .*none, which cannot be read/,
  )
  await expect(openSealing({ formerKeyFile: missing }, folder)).rejects.toThrow('SECRETS_KEY_FILE is not')
  writeFileSync(join(folder, 'secrets.key'), 'damaged')
  await expect(openSealing({}, folder)).rejects.toThrow('must have 32 random bytes')
  expect(readFileSync(join(folder, 'secrets.key'), 'utf8')).toBe('damaged')
})
