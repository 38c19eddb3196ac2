/** Limits tasks by the CPU time of their process: a busy or paused machine makes no task too costly. */
import { readFileSync } from 'node:fs'

/** A task that waits instead of working, such as for a slow disk, ends at this multiple of its limit by the clock, or so long after it. */
const [waitFactor, waitMilliseconds] = [4, 5_000]
/** Linux counts CPU time in ticks of 1/100 s for programs, whatever its own clock. */
const tickMilliseconds = 10
const lookMilliseconds = 10

/**
 * Calls `end` once the process has used the time, or at four times that time by the clock (at least five seconds more than it).
 * @param used CPU time of the process, which may have run other tasks. Milliseconds.
 * @param end its argument is false for a task that mostly waited: the same task may succeed later
 * @returns stops the limit
 */
export function limitCpu(
  milliseconds: number,
  used: () => number,
  end: (isCostly: boolean) => void,
): () => void {
  const [began, before] = [performance.now(), used()]
  const waitMax = Math.max(milliseconds * waitFactor, milliseconds + waitMilliseconds)
  let isOver = false
  let timer: NodeJS.Timeout
  const look = () => {
    if (isOver) return
    const left = milliseconds - (used() - before)
    if (left <= 0 || performance.now() - began >= waitMax) end(left <= 0)
    else wait(left)
  }
  // After a pause, answers that have arrived come first.
  const wait = (time: number) => {
    timer = setTimeout(() => setImmediate(look), Math.max(time, lookMilliseconds))
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
