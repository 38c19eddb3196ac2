/** Several batches on their way at once, where their order cannot matter. http-api §9: of one (type, id) the last line counts. */
import type { Batch } from './batches.ts'

interface Underway {
  readonly keys: ReadonlySet<string>
  readonly done: Promise<void>
}

/**
 * Sends each batch by `send`, at most `most` at a time. One that holds a (type, id) of a batch still on its way waits for that
 * batch's answer, so that the last line of a record arrives last, whatever is sent again in between.
 *
 * The first failure, in the order of the batches, stops the others (`send`'s signal) and becomes the rejection, after all
 * have ended.
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
      // Awaited in a later turn; until then its failure must not count as unhandled.
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
