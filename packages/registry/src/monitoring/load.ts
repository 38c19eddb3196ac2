/** Load of this process over the last hours, in memory: a sample a minute. */
import { performance } from 'node:perf_hooks'
import type { Context } from '../context.ts'
import { schedule } from '../schedule.ts'

/** Six hours. */
const samplesMax = 360

/** One period, which ends at `at`. */
export interface LoadSample {
  readonly at: Date
  /** Answered requests a minute. */
  readonly requests: number
  /** CPU time of all threads of the process, as a share of one core: 2 if two cores were busy. */
  readonly cpu: number
  /** Share of the time in which the event loop was busy. Near 1, requests wait for each other. */
  readonly busy: number
}

export class Load {
  readonly #now: () => Date
  readonly #samples: LoadSample[] = []
  #requests = 0
  #begin = performance.now()
  #cpu = process.cpuUsage()
  #loop = performance.eventLoopUtilization()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Counts a request when it is answered. */
  answered(): void {
    this.#requests++
  }

  /** Ends a period and begins the next one. */
  sample(): void {
    const [begin, end] = [this.#begin, performance.now()]
    const { user, system } = process.cpuUsage(this.#cpu)
    const milliseconds = Math.max(end - begin, 1)
    this.#samples.push({
      at: this.#now(),
      requests: (this.#requests / milliseconds) * 60_000,
      cpu: (user + system) / 1_000 / milliseconds,
      busy: performance.eventLoopUtilization(this.#loop).utilization,
    })
    if (this.#samples.length > samplesMax) this.#samples.shift()
    this.#requests = 0
    this.#begin = end
    this.#cpu = process.cpuUsage()
    this.#loop = performance.eventLoopUtilization()
  }

  /** The oldest first. */
  samples(): readonly LoadSample[] {
    return this.#samples
  }
}

export function loadOf({ jobs, now }: Pick<Context, 'jobs' | 'now'>): Load {
  const load = new Load(now)
  let isFirst = true
  // The first run comes at the start, when no period has passed.
  jobs.repeat(schedule.load, async () => {
    if (!isFirst) load.sample()
    isFirst = false
  })
  return load
}
