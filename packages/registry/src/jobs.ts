/**
 * Background work of this process. Waiting rows are the queue: each kind has its own table, and a condition for work that is due
 * (`findWaitingWork` of packages/storage). A server looks for all kinds at once, every other second, and is notified of new work. One
 * process takes a row, with a lease: if it dies, the lease ends, and another one takes the row.
 *
 * Work may run more than once, and after its purpose is settled, so it must be harmless to repeat.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Database, type DiskSpace, findWaitingWork, type WaitingKind } from '@ulmus/storage'
import { type FailedTask, FailedTasks, type TaskOutcome } from './failed-tasks.ts'
import type { Log } from './log.ts'
import { type Repeated, schedule } from './schedule.ts'

/** Work on waiting rows that this process takes. */
export interface Taken<Row> {
  /** Rows that this process works on at the same time. */
  readonly atOnce: number
  /** Takes at most `most` rows. */
  claim(most: number): Promise<readonly Row[]>
  /** If it rejects, the row waits until its lease ends. */
  run(row: Row): Promise<void>
  /** Pause before rows are taken for places that became free. Default 0. Milliseconds. */
  readonly pauseMilliseconds?: number
}

/** Background work of this process. Services define theirs when they are created, before `start`. */
export interface Jobs {
  /** Defines work on rows of a kind. Only processes with background work do it. Call it before `start`. */
  take<Row>(kind: WaitingKind, taken: Taken<Row>): void
  /**
   * Defines work that leaves nothing of a kind that is due, or what another process is at. It runs at most once a second, and never
   * twice at a time in one process. Call it before `start`.
   * @param everywhere also in processes without background work
   */
  clear(kind: WaitingKind, work: () => Promise<void>, everywhere?: 'everywhere'): void
  /**
   * Runs `work` at `start` and then periodically (schedule.ts), in every process that runs jobs; never twice at a time in one
   * process. Logs rejections. Call it before `start`.
   */
  repeat(task: Repeated, work: () => Promise<void>): void
  /** Begins waiting work of a kind now, here or in another process. Call it after the transaction. */
  wake(kind: WaitingKind): void
  /** Takes over work that a job or a repetition does not await; `stop` waits for it. It must never reject. */
  leave(work: Promise<void>): void
  /** Tasks of this process whose last run failed. */
  failed(): readonly FailedTask[]
  /** Begins a task of this process now. Returns false if it has none of that name. */
  retry(name: string): boolean
  /** Starts the work. On a full disk, work that writes waits for free space. */
  start(): Promise<void>
  /** Takes no more work and waits up to 30 s for running work; another process repeats unfinished work. */
  stop(): Promise<void>
}

export interface JobsOptions {
  database: Database
  space: DiskSpace
  log: Log
  /** False: this process leaves its work to others. */
  works: boolean
  /** Default: the system's clock. */
  now?: (() => Date) | undefined
}

/** Wait at most this long for running work when the process stops. */
const drainMillisecondsMax = 30_000
/** From the begin of work that clears a kind to its next one. */
const clearedMilliseconds = 1_000
/**
 * From a failed run to the next one, if no wake or period begins it before. Another process may have done the work meanwhile, or the
 * database is back: a run that finds nothing to do ends the failure.
 */
const afterFailureMilliseconds = 5_000
/** The same failure of a task is logged once in this time. */
const repeatedMilliseconds = 60_000

export function jobsOf(options: JobsOptions): Jobs {
  const { database, space, log, works, now = () => new Date() } = options
  const kinds = new Map<WaitingKind, Runner>()
  const repetitions = new Map<Repeated, Runner>()
  const left = new Set<Promise<void>>()
  /** By the name of their task. */
  const runners = new Map<string, Runner>()
  const failures = new FailedTasks(now)
  const outcomeOf = (name: string) => failures.outcomeOf(name, failureLog(name, log))
  let state: 'defining' | 'started' | 'stopped' = 'defining'
  const leave = (work: Promise<void>): void => {
    left.add(work)
    void work.finally(() => left.delete(work))
  }
  const wakeHere = (kind: WaitingKind): void => {
    if (state === 'started') kinds.get(kind)?.wake()
  }
  const runnerOf = (name: string, work: () => Promise<void>, pace: Pace, frees = false): Runner => {
    if (state !== 'defining') throw new Error(`${name} is defined after the start`)
    const unlessFull = async () => {
      if (frees || !(await space.isFull())) await work()
    }
    const runner = new Runner(unlessFull, pace, outcomeOf(name))
    runners.set(name, runner)
    return runner
  }
  const define = (kind: WaitingKind, runner: Runner): void => {
    kinds.set(kind, runner)
    runners.set(workOn(kind), runner)
  }
  const repeat = (task: Repeated, work: () => Promise<void>): void => {
    repetitions.set(task, runnerOf(task.name, work, paceOf(task), task.frees))
  }
  repeat(schedule.waitingWork, async () => {
    for (const kind of await findWaitingWork(database, now())) wakeHere(kind)
  })
  database.listen((topic) => wakeHere(topic as WaitingKind))
  return {
    take(kind, { atOnce, claim, run, pauseMilliseconds = 0 }) {
      if (!works) return
      const outcome = outcomeOf(workOn(kind))
      const wakeSoon = () => void setTimeout(wakeHere, pauseMilliseconds, kind)
      let running = 0
      const fill = async () => {
        if (running === atOnce) return
        for (const row of await claim(atOnce - running)) {
          running++
          const ended = run(row)
            .then(outcome.succeeded, outcome.failed)
            .finally(() => running--)
          // A place is free, and more may wait.
          leave(ended.then(wakeSoon))
        }
      }
      define(kind, runnerOf(`claims of ${kind}`, fill, paceOfClaims))
    },
    clear(kind, work, everywhere) {
      if (works || everywhere !== undefined) define(kind, runnerOf(workOn(kind), work, paceOfClearing))
    },
    repeat,
    wake(kind) {
      if (kinds.has(kind)) return wakeHere(kind)
      // Without the notification, others find the work at their next look.
      leave(database.notify(kind).catch(() => undefined))
    },
    leave,
    failed: () => failures.list(),
    retry(name) {
      if (state === 'started') runners.get(name)?.wake()
      return runners.has(name)
    },
    async start() {
      state = 'started'
      for (const [task, one] of repetitions) if (works || task.everywhere === true) one.wake()
      for (const one of kinds.values()) one.wake()
    },
    async stop() {
      if (state === 'started') {
        state = 'stopped'
        const ended = Promise.all([...runners.values()].map((one) => one.stop()))
        const drained = ended.then(() => Promise.all(left))
        await within(drainMillisecondsMax, drained)
      }
      state = 'stopped'
    },
  }
}

/** Name of the task that works on a kind, among failed tasks. */
export const workOn = (kind: WaitingKind): string => `work on ${kind}`

/** Periods of work. Milliseconds. */
interface Pace {
  /** From one begin to the next, at least. Default 0. */
  readonly atLeast?: number
  /** From the end of a run to the next one. Default: only a wake begins one. */
  readonly every?: number
  /** From the end of a failed run to the next one. */
  readonly afterFailure: number
}

const paceOfClaims: Pace = { afterFailure: afterFailureMilliseconds }
const paceOfClearing: Pace = { atLeast: clearedMilliseconds, afterFailure: afterFailureMilliseconds }

function paceOf({ everySeconds, onceInSeconds }: Repeated): Pace {
  const every = everySeconds * 1_000
  // Soon after it, a run that claims nothing would end the failure of a task that runs once an hour.
  const isClaimed = onceInSeconds !== undefined
  return { every, afterFailure: isClaimed ? every : Math.min(every, afterFailureMilliseconds) }
}

/** Runs one work, never twice at a time: a wake during a run begins another one after it. */
class Runner {
  readonly #work: () => Promise<void>
  readonly #pace: Pace
  readonly #outcome: TaskOutcome
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** Time at which the timer ends. */
  #dueAt = 0
  #begunAt = Number.NEGATIVE_INFINITY
  #isWoken = false
  #isStopped = false
  /** Work that a request wakes is not the request's: it must not count against its budget, nor add to its headers. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot()

  constructor(work: () => Promise<void>, pace: Pace, outcome: TaskOutcome) {
    this.#work = work
    this.#pace = pace
    this.#outcome = outcome
  }

  wake(): void {
    if (this.#running !== undefined) this.#isWoken = true
    else this.#beginIn(this.#begunAt + (this.#pace.atLeast ?? 0) - performance.now())
  }

  #beginIn(milliseconds: number): void {
    if (this.#isStopped) return
    if (milliseconds <= 0) {
      this.#begin()
      return
    }
    const dueAt = performance.now() + milliseconds
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => this.#begin(), milliseconds)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#begunAt = performance.now()
    let pause = this.#pace.every
    this.#running = this.#outsideRequests(this.#work)
      .then(this.#outcome.succeeded, (error: unknown) => {
        pause = this.#pace.afterFailure
        this.#outcome.failed(error)
      })
      .finally(() => {
        this.#running = undefined
        const isWoken = this.#isWoken
        this.#isWoken = false
        if (isWoken) this.wake()
        else if (pause !== undefined) this.#beginIn(pause)
      })
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }
}

/** Logs failures of a task. Some tasks run every second: one cause must not fill the server's log. */
function failureLog(name: string, log: Log): (error: unknown) => void {
  let logged = { message: '', at: 0 }
  return (error) => {
    const [message, at] = [String(error), performance.now()]
    if (message === logged.message && at - logged.at < repeatedMilliseconds) return
    logged = { message, at }
    log.error({ err: error }, `${name} failed`)
  }
}

async function within(milliseconds: number, end: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([end, patience])
  clearTimeout(timer)
}
