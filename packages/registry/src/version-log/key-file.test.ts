/** Files of the log: keys are made once and kept, and faulty lines are named. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signerOf, vkeyOf } from '@ulmus/content/log'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, expect, test } from 'vitest'
import { openContext } from '../testing/context.ts'
import { newLogKey, openVersionLog } from './key-file.ts'
import { renameLog } from './restored.ts'
import { publicOrigin } from './signing.ts'
import { versionLogOf } from './version-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-log-key-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const seed = new Uint8Array(32).fill(1)
const log = vkeyOf(signerOf('registry.example/log/1', 'ed25519', seed))
const witness = vkeyOf(signerOf('mirror.example/w', 'cosignature', seed))

test('the key of the data folder is made once, for this account only', async () => {
  const first = await openVersionLog({ publicUrl: 'https://registry.example:8443' }, folder)
  expect(first).toMatchObject({ signers: [{ name: 'registry.example:8443/log/1' }], witnesses: [] })
  expect(await openVersionLog({}, folder)).toEqual({ ...first, publicUrl: undefined })
  expect(statSync(join(folder, 'log.key')).mode & 0o777).toBe(0o600)
  const given = file('given.key', newLogKey(undefined, 'other.example/log/1'))
  const formerKeyFile = join(folder, 'log.key')
  const { signers } = await openVersionLog({ keyFile: given, formerKeyFile }, null)
  expect(signers).toMatchObject([{ name: 'other.example/log/1' }, { name: 'registry.example:8443/log/1' }])
  await expect(openVersionLog({ formerKeyFile }, null)).rejects.toThrow('VERSION_LOG_KEY_FILE is not')
  await expect(openVersionLog({ keyFile: join(folder, 'none') }, null)).rejects.toThrow('cannot be read')
  const secret = readFileSync(given, 'utf8').slice(0, -6)
  const wrong = openVersionLog({ keyFile: file('wrong.key', secret) }, null)
  await expect(wrong).rejects.toThrow('ulmus-server log key')
  await expect(wrong).rejects.not.toThrow(secret.slice(-20))
})

test('witnesses and witnessed logs, one on each line', async () => {
  const keyFile = file('key', newLogKey(undefined))
  const lines = `# ours\n\n${witness}  https://mirror.example/log/witness/ \n`
  const opened = await openVersionLog(
    { keyFile, witnessesFile: file('w', lines), witnessedFile: file('l', `${log}\n`) },
    null,
  )
  expect(opened.witnesses).toMatchObject([{ url: 'https://mirror.example/log/witness' }])
  expect(opened.witnessed).toMatchObject([{ name: 'registry.example/log/1' }])
  for (const line of [witness, `${witness} ftp://x`, `${log} https://x`, `${witness} https://x y`])
    await expect(openVersionLog({ keyFile, witnessesFile: file('w', `\n${line}`) }, null)).rejects.toThrow(
      'line 2 must have the public key of a witness',
    )
  const twice = file('w', `${witness} https://a\n${witness} https://b`)
  await expect(openVersionLog({ keyFile, witnessesFile: twice }, null)).rejects.toThrow('once')
  for (const line of [witness, `${log} x`, 'x'])
    await expect(openVersionLog({ keyFile, witnessedFile: file('l', line) }, null)).rejects.toThrow(
      'line 1 must have the public key of a log',
    )
})

test.each(anyDatabase)('a log without a key is reported once ($name)', async (database) => {
  const context = await openContext(database)
  const without = versionLogOf(context, (await openVersionLog({}, null)).signers)
  await without.start()
  expect(context.log.warnings).toMatchObject([
    { line: expect.stringMatching(/it has no key\. Make one with .* VERSION_LOG_KEY_FILE/) },
  ])
  // The first checkpoint is there before the first request.
  const signer = signerOf('registry.example/log/1', 'ed25519', seed)
  const signed = versionLogOf(context, [signer])
  await signed.start()
  expect(await signed.facts()).toMatchObject({ origin: signer.name, size: 1 })
  expect(context.log.warnings).toHaveLength(1)
  // A moved log has a key, and takes no other.
  await without.start()
  expect(context.log.warnings).toMatchObject([
    {},
    { line: expect.stringContaining(`lacks its key, ${vkeyOf(signer).split('+').slice(0, 2).join('+')}.`) },
  ])
  expect(context.log.warnings[1]?.line).not.toContain('log key`')
  await context.dispose()
})

test.each(anyDatabase)(
  'the log of a trial is reported, and gets the host of PUBLIC_URL ($name)',
  async (database) => {
    const context = await openContext(database)
    const publicUrl = 'https://registry.example'
    const signers = [signerOf('localhost-1a2b3c4d/log/1', 'ed25519', seed)]
    const start = async (url: string | undefined) => {
      const opened = versionLogOf(context, signers, { publicUrl: url })
      await opened.start()
      return (await opened.facts()).origin
    }
    for (const url of [undefined, 'http://localhost:4000', 'http://127.0.0.1:4000'])
      expect(await start(url)).toBe('localhost-1a2b3c4d/log/1')
    expect(context.log.warnings).toEqual([])
    await start(publicUrl)
    expect(context.log.warnings).toMatchObject([
      {
        line: expect.stringMatching(
          / localhost-1a2b3c4d\/log\/1, .*https:\/\/registry\.example.*log restart/,
        ),
      },
    ])
    expect(await renameLog(context.database, publicUrl)).toMatch(/^registry\.example\/log\/2-/)
    expect(await start(publicUrl)).toMatch(/^registry\.example\/log\/2-/)
    // A registry with another address keeps the name that its readers know.
    expect(await start('https://elsewhere.example')).toMatch(/^registry\.example\/log\/2-/)
    expect(await renameLog(context.database, 'https://elsewhere.example')).toMatch(
      /^registry\.example\/log\/3-/,
    )
    expect(context.log.warnings).toHaveLength(1)
    await context.dispose()
  },
)

test.each(['localhost:4000/log/1', '127.0.0.1:4000/log/1', '[::1]:4000/log/2-20261127t051900123z'])(
  '%s is of a trial, too',
  (origin) => {
    expect(publicOrigin(origin, 'https://registry.example')).toMatch(/^registry\.example\/log\//)
    expect(publicOrigin(origin, 'http://localhost:4001')).toBeUndefined()
  },
)
