/** Laws about time, on a machine that does other work as well: CPU time instead of the clock, and several tries. */
import { cpuMilliseconds } from './runs.ts'

/** A fault of the product spoils every try; a pause of the machine or a garbage collection spoils one or two. */
const triesMax = 4

/** The result of the first of several tries that is good, or of the last one. What a try throws, it throws. */
export async function firstGood<T>(
  attempt: () => Promise<T>,
  isGood: (result: NoInfer<T>) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const result = await attempt()
    if (isGood(result) || tries === triesMax) return result
  }
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!

/** Longest turn of this thread's event loop during `work`, in milliseconds of CPU time, and the number of turns. */
export async function blockedDuring<T>(
  work: () => Promise<T>,
): Promise<{ blocked: number; turns: number; result: T }> {
  let [blocked, turns, last, isWatching] = [0, 0, cpuMilliseconds(), true]
  const look = () => {
    const now = cpuMilliseconds()
    blocked = Math.max(blocked, now - last)
    turns++
    last = now
    if (isWatching) setImmediate(look)
  }
  setImmediate(look)
  const result = await work()
  isWatching = false
  look()
  return { blocked, turns, result }
}
