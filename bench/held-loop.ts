/**
 * Measures how long a server's event loop is blocked. Loaded by `node --import`; writes a line per second to the file named by
 * `HELD_LOOP_FILE`.
 *
 * A timer is due every 10 ms. The CPU time of the main thread between two ticks is an upper bound for one turn of the loop; it includes
 * other work in those 10 ms. Time in which the thread waits for a core does not count.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const tickMilliseconds = 10
const lineMilliseconds = 1_000

const file = process.env['HELD_LOOP_FILE']
if (file !== undefined && isMainThread) {
  const cpuMilliseconds = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let before = cpuMilliseconds()
  let most = 0
  setInterval(() => {
    const now = cpuMilliseconds()
    most = Math.max(most, now - before)
    before = now
  }, tickMilliseconds).unref()
  setInterval(() => {
    appendFileSync(file, `${most.toFixed(1)}\n`)
    most = 0
  }, lineMilliseconds).unref()
}
