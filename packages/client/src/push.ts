/** Publishes a version from changes, in one call. http-api §9, delta. */
import type { DeleteLine, JsonInput, OpenedPush } from '@ulmus/wire'
import { type Batch, batchesOf, type Keyed, nameOf, type RecordToPut } from './batches.ts'
import { call } from './calls.ts'
import {
  committing,
  type DryRunResult,
  dryRun,
  type Ending,
  type PushResult,
  withWarnings,
} from './commit.ts'
import { demandExact } from './exact-json.ts'
import { sendBatches } from './overlap.ts'
import { type CollectionRef, partsOf } from './places.ts'
import { PushRemovals } from './push-removals.ts'
import type { MaxRemoved } from './removals.ts'
import {
  batchBytesUsual,
  batchLinesUsual,
  nameFiles,
  type Opening,
  openedBy,
  openingBody,
  pushesPath,
  reporter,
  type Session,
  type SessionOptions,
  sendFiles,
  type Tally,
  within,
} from './session.ts'
import type { Transport } from './transport.ts'

export interface PushProgress {
  readonly phase: 'opening' | 'files' | 'records' | 'deletes' | 'committing' | 'checking' | 'done'
  /** Counts of this call, without those of a resumed session. */
  readonly filesSent: number
  readonly recordsSent: number
  readonly deletesSent: number
  /** Accepted lines of `records` and `deletes` before the first gap: `resume` need not send them again. */
  readonly recordsTaken: number
  readonly deletesTaken: number
  /** Acknowledged bytes of NDJSON and files. */
  readonly bytesSent: number
  /** Number of retried requests so far. */
  readonly retries: number
}

/** Without `schemas`, those of the base apply. */
export interface Push extends Opening {
  /** New and changed records. Read once, as fast as the server accepts them. Of one (type, id) the last counts. */
  readonly records?: Iterable<RecordToPut> | AsyncIterable<RecordToPut>
  /** Records to remove; sent after `records`, so a (type, id) in both is removed. */
  readonly deletes?: Iterable<DeleteLine> | AsyncIterable<DeleteLine>
  /** Maximum of a type's records that may be removed, singly or with the type: a count, or a share of the type. Default: `50%`. */
  readonly maxRemoved?: MaxRemoved
}

export interface PushOptions extends SessionOptions {
  /** Called after every step that the server acknowledged. */
  readonly onProgress?: (progress: PushProgress) => void
  /** Called with the session once it is open, so that a killed program can resume it. */
  readonly onOpened?: (opened: OpenedPush) => void
  /**
   * An open session (`client.pushSessions.get`) that a killed program began for exactly the same push. Lines that were sent but not
   * counted are sent again, which is harmless.
   */
  readonly resume?: ResumedPush
}

/** The session passed to `onOpened`, and the line counts of the last progress. */
export interface ResumedPush {
  readonly opened: OpenedPush
  readonly recordsTaken: number
  readonly deletesTaken: number
}

interface Running extends Session {
  readonly opened: OpenedPush
  readonly options: PushOptions
  readonly count: (change: (tally: Tally<PushProgress>) => void) => void
}

const begin: PushProgress = {
  phase: 'opening',
  filesSent: 0,
  recordsSent: 0,
  deletesSent: 0,
  recordsTaken: 0,
  deletesTaken: 0,
  bytesSent: 0,
  retries: 0,
}

/**
 * Publishes a version. Every step is retried while the network or the server is down for a while. Retries are harmless:
 * of one record the last line counts, and a second commit is answered with the first result. After a final failure the session is
 * cancelled, and nothing is published.
 * @throws version_conflict, no_changes, files_missing, invalid_schema, …; BatchRefused for refused lines; the signal's reason
 */
export const push = (
  transport: Transport,
  ref: CollectionRef,
  what: Push,
  options?: PushOptions,
): Promise<PushResult> => inSession(committing, transport, ref, what, options)

/** Shows what `push` would publish: takes the same steps, publishes nothing and cancels the session. @throws as `push` */
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
  // Opening may create the collection. Other iterables are checked batch by batch, because they can be read only once.
  for (const lines of [what.records, what.deletes])
    if (Array.isArray(lines)) for (const line of lines) demandExact(line, () => nameOf(line))
  const opened =
    options.resume?.opened ??
    (await openedBy(transport, ref, ending.phase === 'checking' ? undefined : what.create, () =>
      openSession(transport, ref, openingBody(what, [...files.keys()]), options.signal, onRetry),
    ))
  options.onOpened?.(opened)
  const session = { transport, root: pushesPath, params: { ...partsOf(ref), id: opened.session_id } } as const
  const running: Running = { ...session, files, options, report: count, onRetry, opened, count }
  return within(running, async () => {
    await sendFiles(running, opened.needed_files)
    await sendLines(running, 'records', what.records ?? [])
    const removals = new PushRemovals(what)
    await sendLines(running, 'deletes', removals.counted(what.deletes ?? []))
    await removals.demandFew(transport, ref, options.signal)
    count((tally) => {
      tally.phase = ending.phase
    })
    const supply = (hashes: string[]) => sendFiles(running, hashes)
    const result = await ending.run(session, { signal: options.signal, onRetry, supply })
    count((tally) => {
      tally.phase = 'done'
    })
    return withWarnings(result, opened)
  })
}

async function openSession(
  transport: Transport,
  ref: CollectionRef,
  json: JsonInput<`POST ${typeof pushesPath}`>,
  signal: AbortSignal | undefined,
  onRetry: () => void,
): Promise<OpenedPush> {
  // If the answer is lost, the session that it opened expires.
  const request = { json, repeatable: true, signal, onRetry }
  return call(transport, `POST ${pushesPath}`, partsOf(ref), request)
}

async function sendLines(
  running: Running,
  kind: 'records' | 'deletes',
  lines: Iterable<Keyed> | AsyncIterable<Keyed>,
): Promise<void> {
  const { limits } = running.opened
  const { batchBytes = batchBytesUsual, batchLines = batchLinesUsual, resume } = running.options
  const taken = resume?.[`${kind}Taken`] ?? 0
  const sizes = {
    bytes: Math.min(batchBytes, limits.batch_bytes),
    lines: Math.min(batchLines, limits.batch_lines),
  }
  const batches = batchesOf(taken === 0 ? lines : after(lines, taken), sizes, Array.isArray(lines))
  const gapless = new GaplessCount(taken)
  if (taken > 0)
    running.count((tally) => {
      tally[`${kind}Taken`] = taken
    })
  const sent = (batch: Batch, _answer: unknown, linesBefore: number) =>
    running.count((tally) => {
      tally.phase = kind
      tally.bytesSent += batch.body.length
      tally[`${kind}Sent`] += batch.lines
      tally[`${kind}Taken`] = gapless.add(linesBefore, batch.lines)
    })
  await sendBatches(running, `POST ${pushesPath}/:id/${kind}`, batches, sent, taken)
}

/** `lines` without the first `count`. */
async function* after<T>(lines: Iterable<T> | AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let index = 0
  for await (const line of lines) if (index++ >= count) yield line
}

/** Counts the accepted lines before the first gap, while parts of the sequence are accepted in any order. */
class GaplessCount {
  #end: number
  readonly #beyond = new Map<number, number>()

  constructor(end: number) {
    this.#end = end
  }

  /** @returns the number of lines before the first gap */
  add(start: number, length: number): number {
    this.#beyond.set(start, length)
    for (;;) {
      const next = this.#beyond.get(this.#end)
      if (next === undefined) return this.#end
      this.#beyond.delete(this.#end)
      this.#end += next
    }
  }
}
