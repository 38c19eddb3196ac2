/**
 * Keeps the key of a job for its next commands, because a token can be exchanged only once. Jobs of other projects may run later as the
 * same user of a shared runner, so a file is encrypted with the secret of its job, and another job neither reads nor uses it.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '@ulmus/content'
import { configFolder } from './places.ts'

/** The job and the collection that a key is for. */
export interface JobPlace {
  readonly host: string
  /** `owner/slug` */
  readonly collection: string
  /** Secret of the job. */
  readonly secret: string
}

export interface JobKey {
  readonly key: string
  /** Expiry, milliseconds since 1970. */
  readonly until: number
}

const cipher = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16]
/** Files of ended jobs are deleted after a day. Milliseconds. */
const keptFor = 86_400_000

const folderOf = (env: NodeJS.ProcessEnv): string => join(configFolder(env), 'jobs')

const derived = ({ host, collection, secret }: JobPlace, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `job of ulmus: ${use}\n${host}\n${collection}`, 32))

const fileOf = (env: NodeJS.ProcessEnv, place: JobPlace): string =>
  join(folderOf(env), derived(place, 'name').toString('hex'))

/** Returns undefined if this job has kept no key for the collection. The key may have expired. */
export function readJobKey(env: NodeJS.ProcessEnv, place: JobPlace): JobKey | undefined {
  try {
    const bytes = readFileSync(fileOf(env, place))
    const opened = createDecipheriv(cipher, derived(place, 'key'), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    opened.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const text = Buffer.concat([opened.update(bytes.subarray(nonceBytes + tagBytes)), opened.final()])
    return parseJson(text.toString()) as JobKey
  } catch {
    return undefined
  }
}

/** Writes atomically, with access for the owner only. @throws the error of the file system */
export function writeJobKey(env: NodeJS.ProcessEnv, place: JobPlace, kept: JobKey): void {
  mkdirSync(folderOf(env), { recursive: true, mode: 0o700 })
  removeOld(folderOf(env))
  const nonce = randomBytes(nonceBytes)
  const sealed = createCipheriv(cipher, derived(place, 'key'), nonce, { authTagLength: tagBytes })
  const text = Buffer.concat([sealed.update(JSON.stringify(kept)), sealed.final()])
  const file = fileOf(env, place)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, Buffer.concat([nonce, sealed.getAuthTag(), text]), { mode: 0o600 })
  renameSync(draft, file)
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats !== undefined && stats.mtimeMs < Date.now() - keptFor) rmSync(file, { force: true })
  }
}
