/** Files of settings: each that cannot be read is refused with the reason and the way out, without errno. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readIssuers } from '../issuers.ts'
import { openSealing } from '../secrets/key-files.ts'
import { openVersionLog } from '../version-log/key-file.ts'
import { readSettingFile } from './setting-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-setting-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = join(folder, 'key')
writeFileSync(key, 'secret')
mkdirSync(join(folder, 'closed'))
writeFileSync(join(folder, 'closed', 'key'), 'secret')

const readers: [string, (path: string) => unknown][] = [
  ['SECRETS_KEY_FILE', (keyFile) => openSealing({ keyFile }, null)],
  ['SECRETS_KEY_FILE_FORMER', (formerKeyFile) => openSealing({ keyFile: key, formerKeyFile }, null)],
  ['VERSION_LOG_KEY_FILE', (keyFile) => openVersionLog({ keyFile }, null)],
  ['VERSION_LOG_WITNESSES_FILE', (witnessesFile) => openVersionLog({ witnessesFile }, null)],
  ['VERSION_LOG_WITNESSED_FILE', (witnessedFile) => openVersionLog({ witnessedFile }, null)],
  ['TRUSTED_ISSUERS_FILE', readIssuers],
]

test.each(readers)('%s names itself, the path and the way out', async (name, read) => {
  const absent = join(folder, 'absent')
  const reading = async (path: string) => read(path)
  await expect(reading(absent)).rejects.toThrow(
    `${name} is ${absent}, which cannot be read: there is no such file. Correct the path, or make the file.`,
  )
  await expect(reading(folder)).rejects.toThrow(
    `${name} is ${folder}, which cannot be read: it is a folder. Name the file in it.`,
  )
})

const reasonFor = (path: string, bytesMax?: number) => {
  try {
    return readSettingFile(path, (what) => new Error(what), bytesMax).toString()
  } catch (error) {
    return (error as Error).message
  }
}

test('other files are refused with their reason', () => {
  expect(reasonFor(key)).toBe('secret')
  expect(reasonFor(key, 5)).toBe('which may have 5 bytes; it has 6.')
  expect(reasonFor(join(key, 'below'))).toMatch(/there is no such file\. Correct/)
  expect(reasonFor('./absent.key')).toContain(`there is no such file (${process.cwd()}/absent.key)`)
  expect(reasonFor('/dev/null')).toMatch(/it is no plain file/)
})

// Root may read all files.
test.skipIf(process.getuid?.() === 0)('a file of another account is refused by the name of this one', () => {
  chmodSync(join(folder, 'closed'), 0)
  expect(reasonFor(join(folder, 'closed', 'key'))).toMatch(/the account \S+ may not enter \S+\/closed\. Move/)
  chmodSync(join(folder, 'closed'), 0o700)
  chmodSync(key, 0)
  expect(reasonFor(key)).toMatch(/the account \S+ may not read it\. Make it that/)
  chmodSync(key, 0o600)
})
