/** Publishing a version: "this changed", as one call. http-api §9, delta. */
import type { BatchReceived, DeleteLine, OpenedPush, OpenPush, RecordLine } from '@ulmus/wire'
import { type Batch, batchesOf, type Keyed } from './batches.ts'
import { commitPush, type PushResult } from './commit.ts'
import { BatchRefused, UlmusError } from './errors.ts'
import { type FileUpload, type NamedFile, nameFile } from './files.ts'
import { sendOverlapping } from './overlap.ts'
import { type CollectionRef, collectionPlace, filePlace, pushPlace } from './places.ts'
import type { Transport } from './transport.ts'

export interface PushProgress {
  readonly phase: 'opening' | 'files' | 'records' | 'deletes' | 'committing' | 'done'
  readonly filesSent: number
  readonly recordsSent: number
  readonly deletesSent: number
  /** Of NDJSON and files that were acknowledged. */
  readonly bytesSent: number
  /** Requests sent again so far. */
  readonly retries: number
}

export interface Push {
  /** The semver that the changes are against; null for a collection's first version. */
  readonly baseVersion: string | null
  /** The complete set `{type: JSON Schema}`; absent: the base's. */
  readonly schemas?: OpenPush['schemas']
  /** Merged into the base's; a member given as null is removed. */
  readonly metadata?: OpenPush['metadata']
  /** New and changed records. Read once, as fast as the server takes them. Of one (type, id) the last counts. */
  readonly records?: Iterable<RecordLine> | AsyncIterable<RecordLine>
  /** Records to remove; sent after `records`, so a (type, id) in both is removed. */
  readonly deletes?: Iterable<DeleteLine> | AsyncIterable<DeleteLine>
  /** Bytes of files that records refer to or that the version is to hold besides. Sent if the collection lacks them. */
  readonly files?: Iterable<FileUpload>
  readonly message?: string
  readonly appId?: string
  readonly actorId?: string
  readonly stripUnknownFields?: boolean
}

export interface PushOptions {
  /** Told after every step that the server acknowledged. */
  readonly onProgress?: (progress: PushProgress) => void
  readonly signal?: AbortSignal
  /** Size of a batch, below the session's own limits. Bytes, default 8 MiB; lines, default 10,000. */
  readonly batchBytes?: number
  readonly batchLines?: number
  /** Batches on their way at once, at most; those that share a record never are. At least 1, default 2. */
  readonly parallel?: number
}

const batchBytesUsual = 8 * 1024 ** 2
const batchLinesUsual = 10_000
/** One is checked while the next one arrives. */
const parallelUsual = 2

/** How long the farewell to a failed session may take. Milliseconds. */
const cancelMs = 10_000

interface Running {
  readonly transport: Transport
  readonly ref: CollectionRef
  readonly session: OpenedPush
  readonly files: ReadonlyMap<string, NamedFile>
  readonly options: PushOptions
  readonly report: (change: (state: Tally) => void) => void
  readonly onRetry: () => void
}

type Tally = { -readonly [Member in keyof PushProgress]: PushProgress[Member] }

/**
 * Publishes a version. Every step is repeated when the network or the server is away for a while (repeating one is harmless:
 * of one record the last line counts, a second commit answers with the first result); after a final failure the session is
 * cancelled, and nothing is published.
 * @throws version_conflict, no_changes, files_missing, invalid_schema, …; BatchRefused for refused lines; the signal's reason
 */
export async function push(
  transport: Transport,
  ref: CollectionRef,
  what: Push,
  options: PushOptions = {},
): Promise<PushResult> {
  const tally: Tally = {
    phase: 'opening',
    filesSent: 0,
    recordsSent: 0,
    deletesSent: 0,
    bytesSent: 0,
    retries: 0,
  }
  const report: Running['report'] = (change) => {
    change(tally)
    options.onProgress?.({ ...tally })
  }
  const onRetry = () => report((state) => state.retries++)
  const named = await Promise.all([...(what.files ?? [])].map(nameFile))
  const files = new Map(named.map((file) => [file.hash, file]))
  const session = await openPush(transport, ref, what, [...files.keys()], { signal: options.signal, onRetry })
  const running: Running = { transport, ref, session, files, options, report, onRetry }
  try {
    await sendFiles(running, session.needed_files)
    await sendLines(running, 'records', what.records ?? [])
    await sendLines(running, 'deletes', what.deletes ?? [])
    report((state) => {
      state.phase = 'committing'
    })
    const committing = {
      signal: options.signal,
      onRetry,
      supply: (hashes: string[]) => sendFiles(running, hashes),
    }
    const result = await commitPush(transport, pushPlace(ref, session.session_id), committing)
    report((state) => {
      state.phase = 'done'
    })
    return result
  } catch (error) {
    await cancel(running)
    throw error
  }
}

async function openPush(
  transport: Transport,
  ref: CollectionRef,
  what: Push,
  files: string[],
  call: { signal?: AbortSignal; onRetry: () => void },
): Promise<OpenedPush> {
  const json: Partial<OpenPush> = {
    base_version: what.baseVersion,
    schemas: what.schemas,
    metadata: what.metadata,
    files: files.length > 0 ? files : undefined,
    message: what.message,
    app_id: what.appId,
    actor_id: what.actorId,
    strip_unknown_fields: what.stripUnknownFields,
  }
  const path = `${collectionPlace(ref)}/pushes`
  // A session opened by an answer that got lost ends by itself.
  return (await transport.json<OpenedPush>({ method: 'POST', path, json, repeatable: true, ...call })).body
}

/** Uploads those of `hashes` whose bytes were given; the commit names the ones that stay missing. */
async function sendFiles(running: Running, hashes: readonly string[]): Promise<number> {
  let sent = 0
  for (const hash of hashes) {
    const file = running.files.get(hash)
    if (file === undefined) continue
    await running.transport.json({
      method: 'PUT',
      path: filePlace(running.ref, hash),
      raw: { body: file.bytes, contentType: file.contentType },
      signal: running.options.signal,
      onRetry: running.onRetry,
    })
    sent++
    running.report((state) => {
      state.phase = 'files'
      state.filesSent++
      state.bytesSent += file.bytes instanceof Blob ? file.bytes.size : file.bytes.length
    })
  }
  return sent
}

/** Sends lines in batches while the next one is being made. */
async function sendLines(
  running: Running,
  kind: 'records' | 'deletes',
  lines: Iterable<Keyed> | AsyncIterable<Keyed>,
): Promise<void> {
  const { limits } = running.session
  const { batchBytes = batchBytesUsual, batchLines = batchLinesUsual, signal } = running.options
  const batches = batchesOf(lines, {
    bytes: Math.min(batchBytes, limits.batch_bytes),
    lines: Math.min(batchLines, limits.batch_lines),
  })
  let linesBefore = 0
  await sendOverlapping(batches, running.options.parallel ?? parallelUsual, (batch, stop) => {
    const before = linesBefore
    linesBefore += batch.lines
    return sendBatch(running, kind, batch, {
      linesBefore: before,
      signal: signal === undefined ? stop : AbortSignal.any([signal, stop]),
    })
  })
}

async function sendBatch(
  running: Running,
  kind: 'records' | 'deletes',
  batch: Batch,
  { linesBefore, signal }: { linesBefore: number; signal: AbortSignal },
): Promise<void> {
  const { transport, ref, session, onRetry } = running
  try {
    await transport.json<BatchReceived>({
      method: 'POST',
      path: `${pushPlace(ref, session.session_id)}/${kind}`,
      raw: { body: batch.body, contentType: 'application/x-ndjson' },
      repeatable: true,
      signal,
      onRetry,
    })
  } catch (error) {
    const refused = error instanceof UlmusError && error.body.validationErrors !== undefined
    throw refused ? new BatchRefused(error, kind, linesBefore) : error
  }
  running.report((state) => {
    state.phase = kind
    state.bytesSent += batch.body.length
    if (kind === 'records') state.recordsSent += batch.lines
    else state.deletesSent += batch.lines
  })
}

/** Ends the session early. It would end by itself, so a failure here changes nothing and must not hide the first one. */
async function cancel(running: Running): Promise<void> {
  const path = pushPlace(running.ref, running.session.session_id)
  const signal = AbortSignal.timeout(cancelMs)
  await running.transport.json({ method: 'DELETE', path, signal }).catch(() => undefined)
}
