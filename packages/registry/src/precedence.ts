/**
 * Who goes first on the event loop, the threads and the disk that all share: metadata updates and forks, a few look-ups and one commit
 * each, which somebody waits for, before pushes, which go on for long in any case.
 */
import { giveWay } from '@ulmus/storage'

/** Long work waits no longer than this at a time, and no more than half of the time. Milliseconds. */
const heldMillisecondsMax = 100

let short = 0
let over = Promise.withResolvers<void>()
/** Long work is not held before; by the clock of `performance`. */
let freeUntil = 0

/** Runs short work, for which long work stands back. */
export async function goFirst<T>(work: () => Promise<T>): Promise<T> {
  short++
  try {
    return await work()
  } finally {
    short--
    if (short === 0) {
      over.resolve()
      over = Promise.withResolvers()
    }
  }
}

/** To be awaited by long work before each of its steps: gives way (`giveWay`), and stands back while short work runs. */
export function standBack(): Promise<void> | undefined {
  return short === 0 || performance.now() < freeUntil ? giveWay() : held()
}

async function held(): Promise<void> {
  const from = performance.now()
  let timer: NodeJS.Timeout | undefined
  const longEnough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, heldMillisecondsMax)
  })
  await Promise.race([over.promise, longEnough])
  clearTimeout(timer)
  const now = performance.now()
  freeUntil = now + (now - from)
}
