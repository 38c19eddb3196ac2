/** Limits tasks by the CPU time of their process: a busy or paused machine makes no task too costly. */
import { readFileSync } from 'node:fs'

/** A task that waits instead of working, such as for a slow disk, ends at this multiple of its limit by the clock, or so long after it. */
const [waitFactor, waitMilliseconds] = [4, 5_000]
/** Linux counts CPU time in ticks of 1/100 s for programs, whatever its own clock. */
const tickMilliseconds = 10
/** Intervals of looks at the process. Milliseconds. */
const [lookMin, lookMax] = [10, 500]
/** A task that uses a smaller share of its time sleeps. */
const idleShare = 0.05

/**
 * Calls `end` once the process has used the time, or at four times that time by the clock (at least five seconds more than it).
 * @param used CPU time of the process, which may have run other tasks. Milliseconds.
 * @param end its argument is false for a task that mostly waited: the same task may succeed later
 * @param more `maySleep`: the task is a caller's, who may make it sleep, so one that hardly works has the same time by the clock
 * @returns stops the limit
 */
export function limitCpu(
  milliseconds: number,
  used: () => number,
  end: (isCostly: boolean) => void,
  { maySleep = false } = {},
): () => void {
  const [began, before] = [performance.now(), used()]
  const waitMax = Math.max(milliseconds * waitFactor, milliseconds + waitMilliseconds)
  let isOver = false
  let [last, awake] = [began, 0]
  let timer: NodeJS.Timeout
  const look = () => {
    if (isOver) return
    const now = performance.now()
    // A pause of the machine or of this process is one long interval.
    awake += Math.min(now - last, 2 * lookMax)
    last = now
    const spent = used() - before
    const sleeps = maySleep && awake >= milliseconds && spent < milliseconds * idleShare
    if (spent >= milliseconds || sleeps) end(true)
    else if (now - began >= waitMax) end(false)
    else wait(milliseconds - spent)
  }
  // After a pause, answers that have arrived come first.
  const wait = (time: number) => {
    timer = setTimeout(() => setImmediate(look), Math.min(Math.max(time, lookMin), lookMax))
  }
  wait(milliseconds)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** CPU time of this process. Milliseconds. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** CPU time of another process, on Linux; elsewhere the time of the clock, so that its tasks end at last. Milliseconds. */
export function cpuOf(pid: number | undefined): number {
  if (process.platform !== 'linux') return performance.now()
  try {
    // Fields after the name of the program, which may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickMilliseconds
  } catch {
    return 0
  }
}
