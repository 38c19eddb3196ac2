/** Lines in the log about steps of a start that take long, so that a slow start does not look like a hang. */
import type { Log } from '../log.ts'

/** Interval of lines about one step. Milliseconds. */
const usualMilliseconds = 5_000

/** @param doing the step, as `opening the database` */
export async function reportSlow<T>(
  log: Log,
  doing: string,
  work: () => Promise<T>,
  everyMilliseconds = usualMilliseconds,
): Promise<T> {
  const began = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1_000)
    log.info({ seconds }, `Still ${doing}, after ${seconds} s.`)
  }, everyMilliseconds)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
