/**
 * Durable background jobs on pg-boss, in the registry's own database. A job is a row that commits with the transaction that
 * enqueued it. One server at a time runs it; if that server fails or dies, it is retried.
 *
 * A job may run more than once, and after its purpose is settled, so every `work` must be harmless to repeat.
 */
import { type Database, type DiskSpace, isUniqueViolation, StorageFull, type Tx } from '@ulmus/storage'
import { type Db, PgBoss } from 'pg-boss'
import type { Log } from './log.ts'
import type { Repeated } from './schedule.ts'

/** Work of a job. It must be harmless to repeat, and accept payloads that an earlier release stored. */
export type Work = (payload: Record<string, unknown>) => Promise<void>

/** Background work of this process. Services define theirs when they are created, before `start`. */
export interface Jobs {
  /** Defines a queue and its worker. Call it before `start`. A rejected `work` is retried up to 5 times, with growing delays. */
  define(queue: string, work: Work): void
  /**
   * Runs `work` at `start` and then periodically (schedule.ts), in every process that runs jobs; never twice at a time in one
   * process. Logs rejections. Call it before `start`.
   */
  repeat(task: Repeated, work: () => Promise<void>): void
  /** Enqueues a job in the caller's transaction: the job exists exactly if the transaction commits. Call it after `start`. */
  enqueue(tx: Tx, queue: string, payload: Record<string, unknown>): Promise<void>
  /** Runs waiting jobs of a queue in this process, without the delay of the next poll. Call it after the transaction. */
  poke(queue: string): void
  /** Takes over work that a job or a repetition does not await; `stop` waits for it. It must never reject. */
  leave(work: Promise<void>): void
  /** Starts the work. On a full disk it resolves at once, and work begins when there is free space. */
  start(): Promise<void>
  /** Takes no more jobs and waits up to 30 s for running ones; another process retries unfinished ones. */
  stop(): Promise<void>
}

export interface JobsOptions {
  database: Database
  space: DiskSpace
  log: Log
  /** False: this process enqueues jobs and runs none. */
  works: boolean
  /** Delay of at most this many seconds until a job runs that another process enqueued. Default: 2. */
  pollSeconds?: number | undefined
}

/** Jobs of one queue that run at the same time in one process. */
const atOnce = 2
/** Interval of checks for free space before work begins. Milliseconds. */
const fullMilliseconds = 2_000
/** Delays in seconds: they grow up to a minute. */
const retries = { retryLimit: 5, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 }
/** A job that runs longer counts as lost with its server and is retried. Seconds. */
const expireSeconds = 900
/** Interval at which pg-boss deletes old rows. Seconds. */
const maintenanceIntervalSeconds = 3_600
/** Deletes rows of finished jobs after a day, jobs that no worker took after two weeks. */
const kept = { deleteAfterSeconds: 86_400, retentionSeconds: 14 * 86_400 }
/** Wait at most this long for running jobs when the process stops. */
const drainMillisecondsMax = 30_000
/** The same failure of a repeated task is logged once in this time. */
const repeatedMilliseconds = 60_000
/** Attempts to start pg-boss while other processes create its tables. */
const startTriesMax = 5

export function jobsOf(options: JobsOptions): Jobs {
  const { space, log } = options
  const queues = new Queues(options)
  const repetitions = new Map<Repeated, Repetition>()
  const left = new Set<Promise<void>>()
  let isStarted = false
  /** Checks for free space until work begins. */
  let waiting: Repetition | undefined
  const demandNotStarted = (name: string) => {
    if (isStarted) throw new Error(`${name} is defined after the start`)
  }
  const begin = async (): Promise<void> => {
    await queues.begin()
    for (const [task, repetition] of repetitions)
      if (options.works || task.everywhere === true) repetition.start()
    if (options.works) await queues.work()
  }
  const beginWithSpace = async (): Promise<void> => {
    if (queues.hasBegun || (await space.isFull())) return
    await begin()
    log.info({}, 'the disk has free space again: background work has begun')
  }
  return {
    poke: (queue) => queues.poke(queue),
    enqueue: (tx, queue, payload) => queues.enqueue(tx, queue, payload),
    define(queue, work) {
      demandNotStarted(`queue ${queue}`)
      queues.define(queue, work)
    },
    repeat(task, work) {
      demandNotStarted(task.name)
      const unlessFull = async () => {
        if (task.frees === true || !(await space.isFull())) await work()
      }
      repetitions.set(task, repetition(task.name, task.everySeconds, unlessFull, log))
    },
    leave(work) {
      left.add(work)
      void work.finally(() => left.delete(work))
    },
    async start() {
      isStarted = true
      if (!(await space.isFull())) return begin()
      log.warn({}, 'the disk is full: what is stored can be read, background work waits for free space')
      waiting = repetition('beginning background work', fullMilliseconds / 1000, beginWithSpace, log)
      waiting.start()
    },
    async stop() {
      await waiting?.stop()
      if (!queues.hasBegun) return
      const ended = Promise.allSettled([
        ...queues.drain(),
        ...[...repetitions.values()].map((one) => one.stop()),
      ])
      await within(
        drainMillisecondsMax,
        ended.then(() => Promise.all(left)),
      )
      await queues.stop()
    },
  }
}

/** Queues of durable jobs, and their workers. */
class Queues {
  readonly #options: JobsOptions
  readonly #boss: PgBoss
  readonly #works = new Map<string, Work>()
  /** Ids of pg-boss's workers, by queue. */
  readonly #workers = new Map<string, string[]>()
  #hasBegun = false

  constructor(options: JobsOptions) {
    this.#options = options
    this.#boss = bossOn(options)
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  define(queue: string, work: Work): void {
    this.#works.set(queue, work)
  }

  async begin(): Promise<void> {
    await this.#startBoss()
    for (const queue of this.#works.keys()) {
      await this.#boss.createQueue(queue, { ...retries, expireInSeconds: expireSeconds, ...kept })
      // Load the queue into pg-boss's cache: `enqueue` cannot, inside a transaction.
      await this.#boss.findJobs(queue, { id: noJob })
    }
    this.#hasBegun = true
  }

  /**
   * Starts pg-boss, which creates its tables. If several processes do so at once, one succeeds. The others wait, then violate a
   * unique index of PostgreSQL's catalogue, because they had looked before the wait. A retry finds the tables.
   */
  async #startBoss(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#boss.start()
        return
      } catch (error) {
        if (tries === startTriesMax || !isUniqueViolation(error)) throw error
      }
    }
  }

  /** Starts taking jobs. */
  async work(): Promise<void> {
    for (const [queue, work] of this.#works) {
      const ids: string[] = []
      this.#workers.set(queue, ids)
      for (let index = 0; index < atOnce; index++) ids.push(await this.#workOne(queue, work))
    }
  }

  #workOne(queue: string, work: Work): Promise<string> {
    const settings = { pollingIntervalSeconds: this.#options.pollSeconds ?? 2 }
    return this.#boss.work<Record<string, unknown>>(queue, settings, async ([job]) => {
      // Each worker runs one job at a time and polls again at once after taking one, since more may wait.
      this.poke(queue)
      if (job === undefined) return
      // On a full disk the job fails and is retried. After the last retry, the recovery of the work takes over.
      await this.#options.space.demand()
      await work(job.data)
    })
  }

  poke(queue: string): void {
    for (const id of this.#workers.get(queue) ?? []) this.#boss.notifyWorker(id)
  }

  async enqueue(tx: Tx, queue: string, payload: Record<string, unknown>): Promise<void> {
    if (!this.#hasBegun) throw new StorageFull('Background work waits for free space.')
    const id = await this.#boss.send(queue, payload, { db: statementsOn(tx) })
    if (id === null) throw new Error(`queue ${queue} took no job`)
  }

  /** Takes no more jobs. The promises resolve when running ones have ended. */
  drain(): Promise<void>[] {
    return [...this.#workers.keys()].map((queue) => this.#boss.offWork(queue, { wait: true }))
  }

  stop(): Promise<void> {
    return this.#boss.stop({ graceful: false, close: false })
  }
}

const noJob = '00000000-0000-0000-0000-000000000000'

function bossOn({ database, log, works }: JobsOptions): PgBoss {
  const onServer = database.kind === 'server'
  const boss = new PgBoss({
    db: statementsOn(database),
    backend: onServer ? 'postgres' : 'pglite',
    supervise: works,
    schedule: false,
    maintenanceIntervalSeconds,
    // An embedded database has no second connection, and no vacuum of its own.
    reindex: onServer,
    monitorVacuum: onServer,
    // For jobs that depend on other jobs: Ulmus has none.
    flowIntervalSeconds: 3_600,
  })
  boss.on('error', (error) => log.error({ err: error }, 'background jobs: a statement failed'))
  boss.on('warning', ({ message, data }) => {
    // A warning of a slow statement includes its values: leave these out.
    const { values: _, ...facts } = data as Record<string, unknown>
    log.warn({ data: facts }, `background jobs: ${message}`)
  })
  return boss
}

const statementsOn = (at: { query: Database['query'] }): Db => ({
  executeSql: (text, values) => at.query(text, values),
})

interface Repetition {
  start(): void
  /** Resolves when the current run has ended. */
  stop(): Promise<void>
}

function repetition(name: string, seconds: number, work: () => Promise<void>, log: Log): Repetition {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let logged = { message: '', at: 0 }
  /** Some tasks run every second: one cause must not fill the server's log. */
  const logFailure = (error: unknown): void => {
    const [message, at] = [String(error), performance.now()]
    if (message === logged.message && at - logged.at < repeatedMilliseconds) return
    logged = { message, at }
    log.error({ err: error }, `${name} failed`)
  }
  const run = async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logFailure(error)
    }
    if (!stopped) timer = setTimeout(begin, seconds * 1000)
  }
  const begin = (): void => {
    running = run()
  }
  return {
    start: begin,
    stop() {
      stopped = true
      clearTimeout(timer)
      return running
    },
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
