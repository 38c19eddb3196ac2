/**
 * Loaded into a server by `node --import`: writes how long its event loop was held, a line a second, to the file that `HELD_LOOP_FILE` names.
 *
 * A timer is due every 10 ms. What the main thread spends of CPU time between two of its ticks is what one turn of the loop took at most,
 * and what it did besides in the 10 ms. Time in which the thread waits for a core is none of its own and does not count.
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
