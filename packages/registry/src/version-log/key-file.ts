/**
 * Files of the log: its key, `VERSION_LOG_KEY_FILE` or `log.key` in the data folder; its witnesses; the logs that this registry
 * witnesses.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  LogError,
  parseSkey,
  parseVkey,
  type Signer,
  signerOf,
  skeyOf,
  type Verifier,
} from '@ulmus/content/log'
import { readSettingFile } from '../settings/setting-file.ts'
import type { Witness } from './cosigning.ts'
import type { LogSigners } from './signing.ts'

/** The key file is missing or wrong. The message is a sentence for operators. */
export class LogKeyUnfitError extends Error {
  override name = 'LogKeyUnfitError'
}

/** `off`: changes get no leaves. */
export type VersionLogConfig =
  | 'off'
  | {
      /** Undefined: made in the data folder with the embedded database; leaves without signatures otherwise. */
      readonly keyFile?: string | undefined
      /** Signs beside the new one for 90 days. */
      readonly formerKeyFile?: string | undefined
      /** Lines `vkey url`: witnesses that are asked to cosign checkpoints. */
      readonly witnessesFile?: string | undefined
      /** Lines `vkey`: logs of others that this registry witnesses. */
      readonly witnessedFile?: string | undefined
      /** Address of the registry, for the name of a new key. Undefined: not known yet. */
      readonly publicUrl?: string | undefined
    }

export interface OpenedVersionLog {
  readonly signers: 'off' | LogSigners
  readonly witnesses: readonly Witness[]
  /** Keys of logs that this registry witnesses. */
  readonly witnessed: readonly Verifier[]
  /** Address of the registry, if it is known. */
  readonly publicUrl: string | undefined
}

/**
 * @param dataFolder null where several servers may share the database: each would make a key of its own
 * @throws LogKeyUnfitError
 */
export async function openVersionLog(
  config: VersionLogConfig,
  dataFolder: string | null,
): Promise<OpenedVersionLog> {
  if (config === 'off') return { signers: 'off', witnesses: [], witnessed: [], publicUrl: undefined }
  return {
    signers: await openSigners(config, dataFolder),
    witnesses: readWitnesses(config.witnessesFile),
    witnessed: readWitnessed(config.witnessedFile),
    publicUrl: config.publicUrl,
  }
}

async function openSigners(
  { keyFile, formerKeyFile, publicUrl }: Exclude<VersionLogConfig, 'off'>,
  dataFolder: string | null,
): Promise<LogSigners> {
  if (keyFile === undefined && formerKeyFile !== undefined)
    throw new LogKeyUnfitError('VERSION_LOG_KEY_FILE_FORMER is set, but VERSION_LOG_KEY_FILE is not.')
  const former = formerKeyFile === undefined ? [] : [read(formerKeyFile, 'VERSION_LOG_KEY_FILE_FORMER')]
  if (keyFile !== undefined) return [read(keyFile, 'VERSION_LOG_KEY_FILE'), ...former]
  if (dataFolder === null) return []
  const path = join(dataFolder, 'log.key')
  if (!existsSync(path)) await write(path, makeLogKey(publicUrl))
  return [read(path, 'The key of this registry’s log')]
}

/** Lines `vkey url`; empty ones and those that begin with `#` are ignored. @throws LogKeyUnfitError */
export function readWitnesses(path: string | undefined): Witness[] {
  const found: Witness[] = []
  for (const { words, unfit } of linesIn(path, 'VERSION_LOG_WITNESSES_FILE')) {
    const [vkey = '', url = '', ...more] = words
    const key = keyIn(vkey, 'cosignature')
    if (key === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '') || more.length > 0)
      throw unfit('the public key of a witness, a space and its address')
    if (found.some((one) => one.key.name === key.name)) throw unfit(`${key.name} once`)
    found.push({ key, url: url.replace(/\/$/, '') })
  }
  return found
}

function readWitnessed(path: string | undefined): Verifier[] {
  const lines = linesIn(path, 'VERSION_LOG_WITNESSED_FILE')
  return lines.map(({ words, unfit }) => {
    const key = words.length === 1 ? keyIn(words[0]!, 'ed25519') : undefined
    if (key === undefined) throw unfit('the public key of a log')
    return key
  })
}

function keyIn(vkey: string, type: Verifier['type']): Verifier | undefined {
  try {
    const key = parseVkey(vkey)
    return key.type === type ? key : undefined
  } catch (error) {
    if (error instanceof LogError) return undefined
    throw error
  }
}

function linesIn(path: string | undefined, name: string) {
  if (path === undefined) return []
  const lines = readText(path, name)
    .split('\n')
    .map((line, at) => ({
      words: line.split(/\s+/).filter((word) => word !== ''),
      unfit: (must: string) =>
        new LogKeyUnfitError(`${name} is ${path}, where line ${at + 1} must have ${must}.`),
    }))
  return lines.filter(({ words: [first] }) => first !== undefined && !first.startsWith('#'))
}

/** A new key. Its name is the address of the log; for a registry without an address, one that no other has. */
export function makeLogKey(publicUrl: string | undefined): Signer {
  const host =
    publicUrl === undefined ? `localhost-${randomBytes(4).toString('hex')}` : new URL(publicUrl).host
  return signerOf(`${host}/log/1`, 'ed25519', randomBytes(32))
}

/**
 * Text of a new key file.
 * @param name default: by `publicUrl`
 * @throws LogKeyUnfitError for a name with spaces or `+`
 */
export function newLogKey(publicUrl: string | undefined, name?: string): string {
  try {
    const key = name === undefined ? makeLogKey(publicUrl) : signerOf(name, 'ed25519', randomBytes(32))
    return `${skeyOf(key)}\n`
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw new LogKeyUnfitError(error.message)
  }
}

function read(path: string, name: string): Signer {
  const text = readText(path, name)
  try {
    return parseSkey(text.trim())
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw new LogKeyUnfitError(
      `${name} is ${path}, which must have one line PRIVATE+KEY+name+id+key. Make it with: ulmus-server log key`,
    )
  }
}

const readText = (path: string, name: string): string =>
  readSettingFile(path, (what) => new LogKeyUnfitError(`${name} is ${path}, ${what}`)).toString()

/** A crash leaves a whole file or none. */
async function write(path: string, key: Signer): Promise<void> {
  const draft = `${path}.new`
  await writeFile(draft, `${skeyOf(key)}\n`, { mode: 0o600, flush: true })
  await rename(draft, path)
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
