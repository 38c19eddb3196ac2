/** Sends batches concurrently where their order does not matter. http-api §9: of one (type, id) the last line counts. */
import type { AnswerOf } from '@ulmus/wire'
import type { Batch } from './batches.ts'
import { call } from './calls.ts'
import { BatchRefused, type LineKind, UlmusError } from './errors.ts'
import type { pushesPath, Session, snapshotsPath } from './session.ts'

interface Underway {
  readonly keys: ReadonlySet<string>
  readonly done: Promise<void>
}

/**
 * Sends each batch by `send`, at most `most` at a time. A batch that shares a (type, id) with a batch in flight waits for that
 * batch's answer, so that the last line of a record arrives last, despite retries.
 *
 * The first failure, in the order of the batches, aborts the others (`send`'s signal); once all have ended, it becomes the rejection.
 */
export async function sendOverlapping(
  batches: AsyncIterable<Batch>,
  most: number,
  send: (batch: Batch, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const underway: Underway[] = []
  try {
    for await (const batch of batches) {
      while (underway.length >= most || underway.some(({ keys }) => shareAny(keys, batch.keys))) {
        await underway[0]?.done
        underway.shift()
      }
      const done = send(batch, stop.signal)
      // Awaited in a later turn; until then a failure must not count as unhandled.
      done.catch(() => undefined)
      underway.push({ keys: batch.keys, done })
    }
    for (const { done } of underway) await done
  } catch (error) {
    stop.abort(error)
    await Promise.allSettled(underway.map(({ done }) => done))
    throw error
  }
}

function shareAny(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const key of others) if (some.has(key)) return true
  return false
}

/** Default of `SessionOptions.parallel`: the server checks one batch while the next arrives. */
const parallelUsual = 2

type BatchOperation =
  | `POST ${typeof pushesPath}/:id/${'records' | 'deletes'}`
  | `POST ${typeof snapshotsPath}/:id/${'manifest' | 'records'}`

/**
 * Sends batches while the next one is being made; `sent` is called for each accepted batch, with its answer and the number of lines
 * before it. Batches may be accepted out of order.
 * @param skipped number of lines before the first batch, which were sent earlier
 * @throws BatchRefused for refused lines
 */
export async function sendBatches<N extends BatchOperation>(
  session: Session,
  name: N,
  batches: AsyncIterable<Batch>,
  sent: (batch: Batch, answer: AnswerOf<N>, linesBefore: number) => void,
  skipped = 0,
): Promise<void> {
  const { signal, parallel = parallelUsual } = session.options
  const kind = name.slice(name.lastIndexOf('/') + 1) as LineKind
  let next = skipped
  await sendOverlapping(batches, parallel, async (batch, stop) => {
    const before = next
    next += batch.lines
    const either = signal === undefined ? stop : AbortSignal.any([signal, stop])
    const answer = await refusedAs(kind, before, () =>
      call<BatchOperation>(session.transport, name, session.params, {
        raw: { body: batch.body, contentType: 'application/x-ndjson' },
        repeatable: true,
        signal: either,
        onRetry: session.onRetry,
      }),
    )
    sent(batch, answer as AnswerOf<N>, before)
  })
}

/** Adds the position of the batch to a refusal with line numbers. */
export async function refusedAs<T>(kind: LineKind, linesBefore: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const refused = error instanceof UlmusError && error.body.validationErrors !== undefined
    throw refused ? new BatchRefused(error, kind, linesBefore) : error
  }
}
