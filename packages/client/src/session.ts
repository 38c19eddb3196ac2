/** Session steps that both kinds of push share: opening, files, batches of lines, cancelling. http-api §9. */
import type { OpenPush } from '@ulmus/wire'
import { call } from './calls.ts'
import { UlmusError } from './errors.ts'
import { type FileUpload, type NamedFile, nameFile } from './files.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

/** Fields about the version, besides its records, in a push or a snapshot. */
export interface Opening {
  /** The semver that the version is to follow; null for a collection's first version. */
  readonly baseVersion: string | null
  /** Given: a collection that is not there is made. A dry run makes none. */
  readonly create?: Creation
  /** The complete set `{type: JSON Schema}`. */
  readonly schemas?: OpenPush['schemas']
  /** Merged into the base's; a member given as null is removed. */
  readonly metadata?: OpenPush['metadata']
  /** Bytes of files that records refer to or that the version is to hold besides. Sent if the collection lacks them. */
  readonly files?: Iterable<FileUpload>
  readonly message?: string
  readonly appId?: string
  readonly actorId?: string
  /** Remove top-level members that a record's schema does not list, rather than have the record refused. */
  readonly stripUnknownFields?: boolean
  /** Names of fields and types that were private and may become public with these schemas. */
  readonly confirmPublic?: readonly string[]
}

/** Makes the collection if there is none. */
export interface Creation {
  /** Default: private, or what the settings of the organization say. */
  readonly public?: boolean
  /** Default: the slug. */
  readonly name?: string
}

/** Opens a session; where the collection is missing and `create` is given, makes it first. */
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

export interface SessionOptions {
  readonly signal?: AbortSignal
  /** Size of a batch, below the registry's own limits. Bytes, default 8 MiB; lines, default 10,000. */
  readonly batchBytes?: number
  readonly batchLines?: number
  /** Batches on their way at once, at most; those that share a record never are. At least 1, default 2. */
  readonly parallel?: number
}

export const batchBytesUsual = 8 * 1024 ** 2
export const batchLinesUsual = 10_000

/** How long the farewell to a failed session may take. Milliseconds. */
const cancelMs = 10_000

/** The figures of a progress that the steps of this file change. */
export interface SharedTally {
  phase: string
  filesSent: number
  bytesSent: number
  retries: number
}

export type Tally<Progress> = { -readonly [Member in keyof Progress]: Progress[Member] }

/** Tells `onProgress` of each change, in a copy of its own. */
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

export const pushesPath = '/api/collections/:owner/:slug/pushes'
export const snapshotsPath = '/api/collections/:owner/:slug/versions/negotiate'

/** A session at the server. */
export interface SessionPlace {
  readonly transport: Transport
  /** Path under which sessions of its kind lie. */
  readonly root: typeof pushesPath | typeof snapshotsPath
  readonly params: { readonly owner: string; readonly slug: string; readonly id: string }
}

export interface Session extends SessionPlace {
  /** Files that can be sent, by name. */
  readonly files: ReadonlyMap<string, NamedFile>
  readonly options: SessionOptions
  readonly report: (change: (tally: SharedTally) => void) => void
  readonly onRetry: () => void
}

/** Files by their names. */
export async function nameFiles(files: Iterable<FileUpload> = []): Promise<Map<string, NamedFile>> {
  const named = await Promise.all([...files].map(nameFile))
  return new Map(named.map((file) => [file.hash, file]))
}

/** The members that the bodies which open sessions share. `files`: names. */
export const openingBody = (
  what: Opening,
  files: readonly string[],
): Omit<OpenPush, 'strip_unknown_fields'> & Partial<OpenPush> => ({
  base_version: what.baseVersion,
  schemas: what.schemas,
  metadata: what.metadata,
  files: files.length > 0 ? [...files] : undefined,
  message: what.message,
  app_id: what.appId,
  actor_id: what.actorId,
  strip_unknown_fields: what.stripUnknownFields,
  confirm_public: what.confirmPublic && [...what.confirmPublic],
})

/** Does `work` in a session; when it fails, the session is cancelled, and nothing is published. */
export async function within<T>(session: Session, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await cancel(session)
    throw error
  }
}

/** Uploads those of `hashes` whose bytes were given; the commit names the ones that stay missing. */
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

/** Ends the session early. It would end by itself, so a failure here changes nothing and must not hide the first one. */
export async function cancel({ transport, root, params }: SessionPlace): Promise<void> {
  const signal = AbortSignal.timeout(cancelMs)
  await call(transport, `DELETE ${root}/:id`, params, { signal }).catch(() => undefined)
}
