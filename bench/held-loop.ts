/**
 * Measures how long a server's event loop is blocked. Loaded by `node --import`; writes a line per second to the file named by
 * `HELD_LOOP_FILE`: the longest time, and the longest without garbage collections.
 *
 * A timer is due every 10 ms. The CPU time of the main thread between two ticks is an upper bound for one turn of the loop; it includes
 * other work in those 10 ms. Time in which the thread waits for a core does not count, except that collections are subtracted by the clock.
 */
import { appendFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Limits of a second, on the machine of docs/performance.md: with and without collections. Milliseconds. */
export const heldMillisecondsMax = { most: 100, worked: 50 }

const tickMilliseconds = 10
const lineMilliseconds = 1_000
/** Shorter intervals between ticks are not compared with collections. Milliseconds. */
const longMilliseconds = 15

interface Interval {
  readonly from: number
  readonly to: number
  readonly held: number
}

const file = process.env['HELD_LOOP_FILE']
if (file !== undefined && isMainThread) {
  const cpuMilliseconds = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let collections: PerformanceEntry[] = []
  const note = (entries: PerformanceEntry[]) => {
    collections.push(...entries)
  }
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  let [before, from] = [cpuMilliseconds(), performance.now()]
  let [most, worked] = [0, 0]
  let long: Interval[] = []
  setInterval(() => {
    const [now, to] = [cpuMilliseconds(), performance.now()]
    const held = now - before
    most = Math.max(most, held)
    if (held > longMilliseconds) long.push({ from, to, held })
    else worked = Math.max(worked, held)
    before = now
    from = to
  }, tickMilliseconds).unref()
  setInterval(() => {
    note(observer.takeRecords())
    for (const { from: start, to: end, held } of long) {
      const collected = collections
        .filter(({ startTime, duration }) => startTime < end && startTime + duration > start)
        .reduce((sum, { duration }) => sum + duration, 0)
      worked = Math.max(worked, held - collected)
    }
    appendFileSync(file, `${most.toFixed(1)} ${worked.toFixed(1)}\n`)
    most = worked = 0
    long = []
    collections = []
  }, lineMilliseconds).unref()
}
