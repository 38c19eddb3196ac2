/**
 * `known_logs`: keys, size and root of the logs that were seen, by address of the registry. A registry cannot give this user another
 * history than before, or than it gives to other readers who know the same log.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownCheckpoint } from '@ulmus/client/log'
import { parseJson } from '@ulmus/content'
import { withLock } from '../folder/files/lock.ts'
import { configFolder } from '../session/places.ts'
import { CommandError } from '../terminal/failure.ts'

export interface KnownLog extends KnownCheckpoint {
  /** As `name+id+key`. */
  readonly keys: readonly string[]
  /** Ids of collections that were verified, by `owner/slug`. */
  readonly collections: Readonly<Record<string, string>>
}

type KnownLogs = Readonly<Record<string, KnownLog>>

const fileOf = (env: NodeJS.ProcessEnv): string => join(configFolder(env), 'known_logs')

/** Folder for what `log monitor` has read of a log. */
export const monitorFolder = (env: NodeJS.ProcessEnv, host: string): string =>
  join(configFolder(env), 'log_monitor', createHash('sha256').update(host).digest('hex').slice(0, 32))

/** @returns undefined for a log that was never seen. @throws CommandError for a damaged file */
export function readKnownLog(env: NodeJS.ProcessEnv, host: string): KnownLog | undefined {
  const logs = readAll(env)
  return Object.hasOwn(logs, host) ? logs[host] : undefined
}

/**
 * Replaces the entry of a log.
 * @param before as it was read; undefined: nothing was known
 * @param next undefined: forget it, with what the monitor has kept
 * @returns false if another process has changed it to something else
 */
export async function replaceKnownLog(
  env: NodeJS.ProcessEnv,
  host: string,
  before: KnownLog | undefined,
  next: KnownLog | undefined,
): Promise<boolean> {
  if (isSame(before, next) && isSame(before, readKnownLog(env, host))) return true
  const root = configFolder(env)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return withLock({ root, path: 'known_logs.lock' }, () => {
    const { [host]: stored, ...others } = readAll(env)
    if (!isSame(stored, before) && !isSame(stored, next)) return false
    writePrivate(
      fileOf(env),
      JSON.stringify(next === undefined ? others : { ...others, [host]: next }, null, 2),
    )
    if (next === undefined) rmSync(monitorFolder(env, host), { recursive: true, force: true })
    return true
  })
}

/** Writes atomically, with access for the owner only. */
export function writePrivate(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600, flush: true })
  renameSync(draft, file)
}

function readAll(env: NodeJS.ProcessEnv): KnownLogs {
  const file = fileOf(env)
  try {
    const value: unknown = parseJson(readFileSync(file, 'utf8'))
    if (isObject(value) && Object.values(value).every(isKnownLog)) return value as KnownLogs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new CommandError(
    `${file} is damaged. Restore it from a backup; if you delete it, the logs of all registries are forgotten.`,
    { code: 'known_logs_damaged' },
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const areTexts = (values: readonly unknown[]): boolean => values.every((value) => typeof value === 'string')

function isKnownLog(value: unknown): boolean {
  if (!isObject(value)) return false
  const { origin, size, root, keys, collections } = value
  return (
    isObject(collections) &&
    Array.isArray(keys) &&
    keys.length > 0 &&
    areTexts([origin, root, ...keys, ...Object.values(collections)]) &&
    Number.isSafeInteger(size)
  )
}

const isSame = (a: KnownLog | undefined, b: KnownLog | undefined): boolean => textOf(a) === textOf(b)

const textOf = (log: KnownLog | undefined): string | undefined =>
  log && JSON.stringify([log.origin, log.size, log.root, log.keys, log.collections])
