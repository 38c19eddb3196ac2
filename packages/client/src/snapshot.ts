/** Publishes a version from its complete content, in one call. http-api §9, snapshot. */
import type { ReadonlyJsonObject } from '@ulmus/content'
import type { JsonInput, Negotiated, NegotiatedInChunks, Schemas } from '@ulmus/wire'
import { type Batch, batchesOf, type RecordToPut } from './batches.ts'
import { call } from './calls.ts'
import {
  committing,
  type DryRunResult,
  dryRun,
  type Ending,
  type PushResult,
  withWarnings,
} from './commit.ts'
import { UlmusError } from './errors.ts'
import { entriesIn, hashRecords, type ManifestChunk } from './manifest.ts'
import { refusedAs, sendBatches } from './overlap.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { MaxRemoved } from './removals.ts'
import {
  batchBytesUsual,
  batchLinesUsual,
  nameFiles,
  type Opening,
  openedBy,
  openingBody,
  reporter,
  type Session,
  type SessionOptions,
  sendFiles,
  snapshotsPath,
  type Tally,
  within,
} from './session.ts'
import { countedByType, guardSnapshot } from './snapshot-guard.ts'
import type { Call, Transport } from './transport.ts'

export interface SnapshotProgress {
  readonly phase:
    | 'hashing'
    | 'opening'
    | 'manifest'
    | 'files'
    | 'records'
    | 'committing'
    | 'checking'
    | 'done'
  readonly recordsHashed: number
  /** Entries of the manifest that the registry has compared with the base version. */
  readonly recordsCompared: number
  /** Number of compared records that the registry lacks. */
  readonly recordsNeeded: number
  readonly recordsSent: number
  readonly filesSent: number
  /** Acknowledged bytes of NDJSON and files. */
  readonly bytesSent: number
  /** Number of retried requests so far. */
  readonly retries: number
}

export interface Snapshot extends Opening {
  /** The complete set: a type without a schema is removed with its records. */
  readonly schemas: Readonly<Record<string, ReadonlyJsonObject>>
  /**
   * Starts an iteration over all records of the version. Called twice if the registry lacks any: to hash them, then to send those that
   * it lacks; the records must be the same both times. Repeated records are harmless.
   */
  readonly records: () => Iterable<RecordToPut> | AsyncIterable<RecordToPut>
  /** Maximum of a type's records that may be removed: a count, or a share of the type. Default: `50%`. */
  readonly maxRemoved?: MaxRemoved
}

export interface SnapshotOptions extends SessionOptions {
  /** Called as records are hashed, and after every step that the server acknowledged. */
  readonly onProgress?: (progress: SnapshotProgress) => void
}

interface Running extends Session {
  readonly ref: CollectionRef
  readonly what: Snapshot
  readonly count: Count
  /** Number of records of each type. */
  readonly counts: ReadonlyMap<string, number>
  /** `keyOf` of the records that the registry lacks and that were not sent yet. */
  readonly needed: Set<string>
}

type Count = (change: (tally: Tally<SnapshotProgress>) => void) => void

/** A manifest with fewer entries is sent in the request that opens the session, if it fits `inlineBytesMax`. */
const inlineEntriesMax = 100_000
/** Maximum size of a manifest in the request that opens the session. Bytes. */
const inlineBytesMax = 64 * 1024 ** 2
/** Limit of the registry for a request with records. Bytes. */
const batchBytesMax = 128 * 1024 ** 2
/** Limit of the registry for a request with records. Lines. */
const batchLinesMax = 10_000

const begin: SnapshotProgress = {
  phase: 'hashing',
  recordsHashed: 0,
  recordsCompared: 0,
  recordsNeeded: 0,
  recordsSent: 0,
  filesSent: 0,
  bytesSent: 0,
  retries: 0,
}

/**
 * Publishes a version with exactly these records: records that the base version has are not sent, and its other records are
 * removed. Every step is retried while the network or the server is down for a while; after a final failure the session is
 * cancelled, and nothing is published.
 *
 * Memory: some 250 bytes per record, most of it freed once they are hashed.
 * @throws version_conflict, no_changes, files_missing, invalid_schema, manifest_conflict, …; BatchRefused for refused lines;
 * `records_changed` if `records` differs the second time; the signal's reason
 */
export const snapshot = (
  transport: Transport,
  ref: CollectionRef,
  what: Snapshot,
  options?: SnapshotOptions,
): Promise<PushResult> => inSession(committing, transport, ref, what, options)

/** Shows what `snapshot` would publish: takes the same steps, publishes nothing and cancels the session. @throws as `snapshot` */
export const dryRunOfSnapshot = (
  transport: Transport,
  ref: CollectionRef,
  what: Snapshot,
  options?: SnapshotOptions,
): Promise<DryRunResult> => inSession(dryRun, transport, ref, what, options)

async function inSession<T extends PushResult>(
  ending: Ending<T>,
  transport: Transport,
  ref: CollectionRef,
  what: Snapshot,
  options: SnapshotOptions = {},
): Promise<T> {
  const count = reporter(begin, options.onProgress)
  const { signal } = options
  const onRetry = () =>
    count((tally) => {
      tally.retries++
    })
  const files = await nameFiles(what.files)
  const counts = new Map<string, number>()
  const chunks = await hashRecords(countedByType(what.records(), counts), {
    schemas: what.schemas as Schemas,
    strip: what.stripUnknownFields === true,
    signal,
    onHashed: (records) =>
      count((tally) => {
        tally.recordsHashed += records
      }),
  })
  count((tally) => {
    tally.phase = 'opening'
  })
  const isInline = linesOf(chunks) < inlineEntriesMax && bytesOf(chunks) <= inlineBytesMax
  const opening = {
    ...openingBody(what, [...files.keys()]),
    schemas: what.schemas as Schemas,
    ...(isInline ? { manifest: chunks.flatMap(entriesIn) } : { manifest_expected: linesOf(chunks) }),
  }
  const create = ending.phase === 'checking' ? undefined : what.create
  const opened = await openedBy(transport, ref, create, () =>
    negotiate(transport, ref, opening, { signal, onRetry }),
  )
  const params = { ...partsOf(ref), id: opened.session_id }
  const session = { transport, root: snapshotsPath, params, files, options, report: count, onRetry } as const
  const running: Running = { ...session, ref, what, count, counts, needed: new Set() }
  return within(running, () => sendAndEnd(running, opened, chunks, ending))
}

const negotiate = (
  transport: Transport,
  ref: CollectionRef,
  json: JsonInput<`POST ${typeof snapshotsPath}`>,
  options: Pick<Call, 'signal' | 'onRetry'>,
): Promise<Negotiated | NegotiatedInChunks> =>
  refusedAs('manifest', 0, () =>
    // If the answer is lost, the session that it opened expires.
    call(transport, `POST ${snapshotsPath}`, partsOf(ref), { json, repeatable: true, ...options }),
  )

async function sendAndEnd<T extends PushResult>(
  running: Running,
  opened: Negotiated | NegotiatedInChunks,
  chunks: ManifestChunk[],
  ending: Ending<T>,
): Promise<T> {
  const { count, options, onRetry } = running
  if ('needed_records' in opened) {
    for (const chunk of chunks) noteNeeded(running, chunk, opened.needed_records)
    chunks.length = 0
  } else await sendManifest(running, chunks)
  await guardSnapshot(running)
  await sendFiles(running, opened.needed_files)
  await sendNeeded(running)
  count((tally) => {
    tally.phase = ending.phase
  })
  const supply = (hashes: string[]) => sendFiles(running, hashes)
  const result = await ending.run(running, {
    signal: options.signal,
    onRetry,
    supply,
  })
  count((tally) => {
    tally.phase = 'done'
  })
  return withWarnings(result, opened)
}

/** Sends the chunks and releases each. */
async function sendManifest(running: Running, chunks: ManifestChunk[]): Promise<void> {
  async function* batches(): AsyncGenerator<Batch, void, undefined> {
    // A record is in only one chunk, so no chunk has to wait for another.
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      yield { ...chunk, keys: new Set() }
    }
  }
  await sendBatches(
    running,
    `POST ${snapshotsPath}/:id/manifest`,
    batches(),
    (chunk, { needed_records: hashes }) => {
      running.count((tally) => {
        tally.bytesSent += chunk.body.length
      })
      noteNeeded(running, chunk, hashes)
    },
  )
}

/** Types never contain U+0000. */
const keyOf = ({ type, id }: { type: string; id: string }): string => `${type}\0${id}`

/** Records which entries of a chunk the registry lacks. */
function noteNeeded({ needed, count }: Running, chunk: ManifestChunk, hashes: readonly string[]): void {
  const lacking = new Set(hashes)
  const before = needed.size
  if (lacking.size > 0) {
    for (const entry of entriesIn(chunk)) if (lacking.has(entry.hash)) needed.add(keyOf(entry))
  }
  count((tally) => {
    tally.phase = 'manifest'
    tally.recordsCompared += chunk.lines
    tally.recordsNeeded += needed.size - before
  })
}

async function sendNeeded(running: Running): Promise<void> {
  if (running.needed.size === 0) return
  const { batchBytes = batchBytesUsual, batchLines = batchLinesUsual } = running.options
  const batches = batchesOf(neededOf(running), {
    bytes: Math.min(batchBytes, batchBytesMax),
    lines: Math.min(batchLines, batchLinesMax),
  })
  await sendBatches(running, `POST ${snapshotsPath}/:id/records`, batches, (batch) =>
    running.count((tally) => {
      tally.phase = 'records'
      tally.bytesSent += batch.body.length
      tally.recordsSent += batch.lines
    }),
  )
}

async function* neededOf({ what, needed }: Running): AsyncGenerator<RecordToPut, void, undefined> {
  for await (const line of what.records()) {
    if (needed.delete(keyOf(line))) yield line
    if (needed.size === 0) return
  }
  const [key] = needed
  const [type, id] = key!.split('\0')
  const message = `\`records\` was called again and left out the record ${JSON.stringify(id)} of type ${JSON.stringify(type)}, and ${needed.size - 1} others. It must give the same ones each time.`
  throw new UlmusError(message, { status: 0, code: 'records_changed' })
}

const linesOf = (chunks: readonly ManifestChunk[]): number =>
  chunks.reduce((total, chunk) => total + chunk.lines, 0)

const bytesOf = (chunks: readonly ManifestChunk[]): number =>
  chunks.reduce((total, { body }) => total + body.length, 0)
