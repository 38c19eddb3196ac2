/** Publishing a version: "this changed", as one call. http-api §9, delta. */
import type { DeleteLine, OpenedPush } from '@ulmus/wire'
import { batchesOf, type Keyed, type RecordToPut } from './batches.ts'
import {
  committing,
  type DryRunResult,
  dryRun,
  type Ending,
  type PushResult,
  withWarnings,
} from './commit.ts'
import { type CollectionRef, collectionPlace, pushPlace } from './places.ts'
import {
  batchBytesUsual,
  batchLinesUsual,
  nameFiles,
  type Opening,
  openingBody,
  reporter,
  type Session,
  type SessionOptions,
  sendBatches,
  sendFiles,
  type Tally,
  within,
} from './session.ts'
import type { Transport } from './transport.ts'

export interface PushProgress {
  readonly phase: 'opening' | 'files' | 'records' | 'deletes' | 'committing' | 'checking' | 'done'
  readonly filesSent: number
  readonly recordsSent: number
  readonly deletesSent: number
  /** Of NDJSON and files that were acknowledged. */
  readonly bytesSent: number
  /** Requests sent again so far. */
  readonly retries: number
}

/** `schemas` absent: the base's. */
export interface Push extends Opening {
  /** New and changed records. Read once, as fast as the server takes them. Of one (type, id) the last counts. */
  readonly records?: Iterable<RecordToPut> | AsyncIterable<RecordToPut>
  /** Records to remove; sent after `records`, so a (type, id) in both is removed. */
  readonly deletes?: Iterable<DeleteLine> | AsyncIterable<DeleteLine>
}

export interface PushOptions extends SessionOptions {
  /** Told after every step that the server acknowledged. */
  readonly onProgress?: (progress: PushProgress) => void
}

interface Running extends Session {
  readonly opened: OpenedPush
  readonly count: (change: (tally: Tally<PushProgress>) => void) => void
}

const begin: PushProgress = {
  phase: 'opening',
  filesSent: 0,
  recordsSent: 0,
  deletesSent: 0,
  bytesSent: 0,
  retries: 0,
}

/**
 * Publishes a version. Every step is repeated when the network or the server is away for a while (repeating one is harmless:
 * of one record the last line counts, a second commit answers with the first result); after a final failure the session is
 * cancelled, and nothing is published.
 * @throws version_conflict, no_changes, files_missing, invalid_schema, …; BatchRefused for refused lines; the signal's reason
 */
export const push = (
  transport: Transport,
  ref: CollectionRef,
  what: Push,
  options?: PushOptions,
): Promise<PushResult> => inSession(committing, transport, ref, what, options)

/** What `push` would publish, of the same steps: nothing is published, and the session is given up. @throws as `push` */
export const dryRunOfPush = (
  transport: Transport,
  ref: CollectionRef,
  what: Push,
  options?: PushOptions,
): Promise<DryRunResult> => inSession(dryRun, transport, ref, what, options)

async function inSession<T extends PushResult>(
  ending: Ending<T>,
  transport: Transport,
  ref: CollectionRef,
  what: Push,
  options: PushOptions = {},
): Promise<T> {
  const count = reporter(begin, options.onProgress)
  const onRetry = () =>
    count((tally) => {
      tally.retries++
    })
  const files = await nameFiles(what.files)
  const { body: opened } = await transport.json<OpenedPush>({
    method: 'POST',
    path: `${collectionPlace(ref)}/pushes`,
    json: openingBody(what, [...files.keys()]),
    // A session opened by an answer that got lost ends by itself.
    repeatable: true,
    signal: options.signal,
    onRetry,
  })
  const place = pushPlace(ref, opened.session_id)
  const running: Running = { transport, ref, place, files, options, report: count, onRetry, opened, count }
  return within(running, async () => {
    await sendFiles(running, opened.needed_files)
    await sendLines(running, 'records', what.records ?? [])
    await sendLines(running, 'deletes', what.deletes ?? [])
    count((tally) => {
      tally.phase = ending.phase
    })
    const supply = (hashes: string[]) => sendFiles(running, hashes)
    const result = await ending.run(transport, place, { signal: options.signal, onRetry, supply })
    count((tally) => {
      tally.phase = 'done'
    })
    return withWarnings(result, opened)
  })
}

async function sendLines(
  running: Running,
  kind: 'records' | 'deletes',
  lines: Iterable<Keyed> | AsyncIterable<Keyed>,
): Promise<void> {
  const { limits } = running.opened
  const { batchBytes = batchBytesUsual, batchLines = batchLinesUsual } = running.options
  const batches = batchesOf(lines, {
    bytes: Math.min(batchBytes, limits.batch_bytes),
    lines: Math.min(batchLines, limits.batch_lines),
  })
  await sendBatches(running, kind, batches, (batch) =>
    running.count((tally) => {
      tally.phase = kind
      tally.bytesSent += batch.body.length
      if (kind === 'records') tally.recordsSent += batch.lines
      else tally.deletesSent += batch.lines
    }),
  )
}
