/** Session steps shared by both kinds of push: opening, files, batches of lines, cancelling. http-api §9. */
import type { ReadonlyJsonObject } from '@ulmus/content'
import type { OpenPush } from '@ulmus/wire'
import { call } from './calls.ts'
import { UlmusError } from './errors.ts'
import { type FileUpload, type NamedFile, nameFile } from './files.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

/** Members of a push or a snapshot besides the records. */
export interface Opening {
  /** Semver of the version to follow; null for a collection's first version. */
  readonly baseVersion: string | null
  /** If given, a missing collection is created, except by a dry run. */
  readonly create?: Creation
  /** `{type: JSON Schema}` of new and changed types; null removes a type with its records. Other types stay. */
  readonly schemas?: ReadonlyJsonObject
  /** Merged into the base's metadata; a null removes a member. */
  readonly metadata?: ReadonlyJsonObject
  /** Bytes of files that records refer to, or of further files for the version. Uploaded if the collection lacks them. */
  readonly files?: Iterable<FileUpload>
  readonly message?: string
  readonly appId?: string
  readonly actorId?: string
  /** Remove top-level members that a record's schema does not list, instead of refusing the record. */
  readonly stripUnknownFields?: boolean
  /**
   * What was private and may become public: names of fields and types, `Type/id` or `Type/*` for records sent without their mark, and names
   * of private fields whose values are in ids.
   */
  readonly confirmPublic?: readonly string[]
}

/** Settings of a collection to create if it does not exist. */
export interface Creation {
  /** Default: private, or the organization's setting. */
  readonly public?: boolean
  /** Default: the slug. */
  readonly name?: string
}

/** Opens a session; if the collection is missing and `create` is given, creates it first. */
export async function openedBy<T>(
  transport: Transport,
  ref: CollectionRef,
  create: Creation | undefined,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (create === undefined || !(error instanceof UlmusError && error.code === 'collection_not_found'))
      throw error
    const { owner, slug } = partsOf(ref)
    await call(transport, 'POST /api/accounts/:owner/collections', { owner }, { json: { slug, ...create } })
    return open()
  }
}

/** Options of both kinds of push. */
export interface SessionOptions {
  readonly signal?: AbortSignal
  /** Size of a batch, below the registry's own limits. Bytes, default 8 MiB; lines, default 10,000. */
  readonly batchBytes?: number
  readonly batchLines?: number
  /** Maximum of batches in flight; batches that share a record are never sent concurrently. At least 1, default 2. */
  readonly parallel?: number
}

/** Default of `SessionOptions.batchBytes`. */
export const batchBytesUsual = 8 * 1024 ** 2
/** Default of `SessionOptions.batchLines`. */
export const batchLinesUsual = 10_000

/** Timeout for cancelling a failed session. Milliseconds. */
const cancelMs = 10_000

/** Members of the progress that this file's steps change. */
export interface SharedTally {
  phase: string
  filesSent: number
  bytesSent: number
  retries: number
}

/** A progress whose members may be changed. */
export type Tally<Progress> = { -readonly [Member in keyof Progress]: Progress[Member] }

/** Calls `onProgress` with a copy of the progress after each change. */
export function reporter<Progress extends object>(
  start: Progress,
  onProgress: ((progress: Progress) => void) | undefined,
): (change: (tally: Tally<Progress>) => void) => void {
  const tally: Tally<Progress> = { ...start }
  return (change) => {
    change(tally)
    onProgress?.({ ...tally })
  }
}

/** Path of the sessions of pushes, as in the operations of the wire package. */
export const pushesPath = '/api/collections/:owner/:slug/pushes'
/** Path of the sessions of snapshots, as in the operations of the wire package. */
export const snapshotsPath = '/api/collections/:owner/:slug/versions/negotiate'

/** A session at the server. */
export interface SessionPlace {
  readonly transport: Transport
  /** Path of the sessions of its kind. */
  readonly root: typeof pushesPath | typeof snapshotsPath
  readonly params: { readonly owner: string; readonly slug: string; readonly id: string }
}

/** A session with what the steps of a push need. */
export interface Session extends SessionPlace {
  /** Files that can be sent, by hash. */
  readonly files: ReadonlyMap<string, NamedFile>
  readonly options: SessionOptions
  readonly report: (change: (tally: SharedTally) => void) => void
  readonly onRetry: () => void
}

/** Files by their hashes. */
export async function nameFiles(files: Iterable<FileUpload> = []): Promise<Map<string, NamedFile>> {
  const named = await Promise.all([...files].map(nameFile))
  return new Map(named.map((file) => [file.hash, file]))
}

/** Members common to the bodies that open sessions. `files`: hashes. */
export const openingBody = (
  what: Opening,
  files: readonly string[],
): Omit<OpenPush, 'strip_unknown_fields'> & Partial<OpenPush> => ({
  base_version: what.baseVersion,
  schemas: what.schemas as OpenPush['schemas'],
  metadata: what.metadata as OpenPush['metadata'],
  files: files.length > 0 ? [...files] : undefined,
  message: what.message,
  app_id: what.appId,
  actor_id: what.actorId,
  strip_unknown_fields: what.stripUnknownFields,
  confirm_public: what.confirmPublic && [...what.confirmPublic],
})

/** Runs `work` in a session; if it fails, the session is cancelled, and nothing is published. */
export async function within<T>(session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await cancel(session)
    throw error
  }
}

/** Uploads those of `hashes` whose bytes were given; the commit reports the missing ones. */
export async function sendFiles(session: Session, hashes: readonly string[]): Promise<number> {
  let sent = 0
  for (const hash of hashes) {
    const file = session.files.get(hash)
    if (file === undefined) continue
    await call(
      session.transport,
      'PUT /api/collections/:owner/:slug/files/:hash',
      { ...session.params, hash },
      {
        raw: { body: file.bytes, contentType: file.contentType },
        signal: session.options.signal,
        onRetry: session.onRetry,
      },
    )
    sent++
    session.report((tally) => {
      tally.phase = 'files'
      tally.filesSent++
      tally.bytesSent += file.bytes instanceof Blob ? file.bytes.size : file.bytes.length
    })
  }
  return sent
}

/** Cancels the session early. It would expire anyway, so a failure here is ignored and does not hide the first one. */
export async function cancel({ transport, root, params }: SessionPlace): Promise<void> {
  const signal = AbortSignal.timeout(cancelMs)
  await call(transport, `DELETE ${root}/:id`, params, { signal }).catch(() => undefined)
}
