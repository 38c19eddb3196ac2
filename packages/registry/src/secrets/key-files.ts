/** Files with the keys of `sealing.ts`: `SECRETS_KEY_FILE`, `SECRETS_KEY_FILE_FORMER`, and `secrets.key` in the data folder. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readSettingFile } from '../settings/setting-file.ts'
import { keyBytes, type Sealing, sealingOf } from './sealing.ts'

/** A key file is missing or wrong. The message is a sentence for operators. */
export class SecretsKeyUnfitError extends Error {
  override name = 'SecretsKeyUnfitError'
}

export interface SecretsConfig {
  /** 32 bytes in base64. Undefined: made in the data folder with the embedded database; without secrets otherwise. */
  readonly keyFile?: string | undefined
  readonly formerKeyFile?: string | undefined
}

/**
 * @param dataFolder null where several servers may share the database: each would make a key of its own
 * @returns null without a key
 * @throws SecretsKeyUnfitError
 */
export async function openSealing(
  { keyFile, formerKeyFile }: SecretsConfig,
  dataFolder: string | null,
): Promise<Sealing | null> {
  if (keyFile === undefined && formerKeyFile !== undefined)
    throw new SecretsKeyUnfitError('SECRETS_KEY_FILE_FORMER is set, but SECRETS_KEY_FILE is not.')
  const former = formerKeyFile === undefined ? undefined : read(formerKeyFile, 'SECRETS_KEY_FILE_FORMER')
  if (keyFile !== undefined) return sealingOf(read(keyFile, 'SECRETS_KEY_FILE'), former)
  return dataFolder === null ? null : sealingOf(await ownKey(join(dataFolder, 'secrets.key')))
}

function read(path: string, name: string): Buffer {
  const fault = (what: string) => new SecretsKeyUnfitError(`${name} is ${path}, ${what}`)
  const text = readSettingFile(path, fault).toString()
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === keyBytes && key.toString('base64') === text.trim()) return key
  throw new SecretsKeyUnfitError(
    `${name} is ${path}, which must have ${keyBytes} random bytes in base64 and nothing else. Make it with: openssl rand -base64 ${keyBytes}`,
  )
}

/**
 * Reads the key of the data folder, or makes it. A crash leaves a whole file or none, for a half one would lose secrets. The embedded
 * database, which is open by now, lets one server at a time into the folder.
 */
async function ownKey(path: string): Promise<Buffer> {
  if (!existsSync(path)) {
    const draft = `${path}.new`
    await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flush: true })
    await rename(draft, path)
    const folder = await open(dirname(path))
    await folder.sync().finally(() => folder.close())
  }
  return read(path, 'The key of this registry’s secrets')
}
