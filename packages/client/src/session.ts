/** Session steps that both kinds of push share: opening, files, batches of lines, cancelling. http-api §9. */
import type { OpenPush } from '@ulmus/wire'
import type { Batch } from './batches.ts'
import { BatchRefused, type LineKind, UlmusError } from './errors.ts'
import { type FileUpload, type NamedFile, nameFile } from './files.ts'
import { sendOverlapping } from './overlap.ts'
import { accountPlace, type CollectionRef, filePlace, partsOf } from './places.ts'
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
    const path = `${accountPlace(owner)}/collections`
    await transport.json({ method: 'POST', path, json: { slug, ...create } })
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
/** One is checked while the next one arrives. */
export const parallelUsual = 2

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

export interface Session {
  readonly transport: Transport
  readonly ref: CollectionRef
  /** Its path. */
  readonly place: string
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
export const openingBody = (what: Opening, files: readonly string[]): Partial<OpenPush> => ({
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
    await session.transport.json({
      method: 'PUT',
      path: filePlace(session.ref, hash),
      raw: { body: file.bytes, contentType: file.contentType },
      signal: session.options.signal,
      onRetry: session.onRetry,
    })
    sent++
    session.report((tally) => {
      tally.phase = 'files'
      tally.filesSent++
      tally.bytesSent += file.bytes instanceof Blob ? file.bytes.size : file.bytes.length
    })
  }
  return sent
}

/**
 * Sends batches while the next one is being made; `sent` is called for each accepted batch, with its answer and the number of lines
 * before it. Batches may be accepted out of order.
 * @param skipped lines before the first batch, which were sent earlier
 * @throws BatchRefused for refused lines
 */
export async function sendBatches<T>(
  session: Session,
  kind: LineKind,
  batches: AsyncIterable<Batch>,
  sent: (batch: Batch, answer: T, linesBefore: number) => void,
  skipped = 0,
): Promise<void> {
  const { signal, parallel = parallelUsual } = session.options
  let next = skipped
  await sendOverlapping(batches, parallel, async (batch, stop) => {
    const before = next
    next += batch.lines
    const either = signal === undefined ? stop : AbortSignal.any([signal, stop])
    const { body } = await refusedAs(kind, before, () =>
      session.transport.json<T>({
        method: 'POST',
        path: `${session.place}/${kind}`,
        raw: { body: batch.body, contentType: 'application/x-ndjson' },
        repeatable: true,
        signal: either,
        onRetry: session.onRetry,
      }),
    )
    sent(batch, body, before)
  })
}

/** Makes a refusal that names lines say which lines those are. */
export async function refusedAs<T>(kind: LineKind, linesBefore: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const refused = error instanceof UlmusError && error.body.validationErrors !== undefined
    throw refused ? new BatchRefused(error, kind, linesBefore) : error
  }
}

/** Ends the session early. It would end by itself, so a failure here changes nothing and must not hide the first one. */
export async function cancel({ transport, place }: Pick<Session, 'transport' | 'place'>): Promise<void> {
  const signal = AbortSignal.timeout(cancelMs)
  await transport.json({ method: 'DELETE', path: place, signal }).catch(() => undefined)
}
