/** The first items of a list: what `--limit` leaves out is reported. */
import type { Call } from '../context.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

/** Without `--limit`. */
const itemsMax = 50

/** Reads a list up to the limit. If there are more items, it says so, and fails unless the user chose the limit. */
export async function limited<T>(
  call: Call,
  source: AsyncIterable<T> | Iterable<T>,
  limit: number | undefined,
): Promise<T[]> {
  const found: T[] = []
  for await (const one of source) {
    if (found.length >= (limit ?? itemsMax)) {
      reportMore(call, limit)
      break
    }
    found.push(one)
  }
  return found
}

function reportMore(call: Call, limit: number | undefined): void {
  call.warn(
    limit === undefined
      ? `There are more than ${itemsMax}. Choose how many with --limit.`
      : 'There are more.',
  )
  if (limit === undefined) call.terminal.fail(exitCodes.cut)
}
