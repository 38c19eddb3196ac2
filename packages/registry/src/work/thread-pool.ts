/** Pools of threads for tasks that cost CPU. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { threadsUsual } from '../memory.ts'

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

/** Bookkeeping of the pool about a task, apart from its thread. */
interface TaskNotes {
  begun(thread: Worker): void
}

/**
 * Threads start when first needed and end after 30 s of idleness. A task that had to wait goes to an idle thread that has begun, if there is
 * one. Piscina prefers threads that are still beginning, which takes them a second. They are not passed over: where none takes a task,
 * Piscina begins as many more as it may, and while it closes does nothing else any more.
 */
export function openThreadPool(options: PoolOptions): Piscina {
  const begun = new Set<number>()
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: threadsUsual,
    idleTimeout: 30_000,
    loadBalancer: (task, workers) => {
      const idle = workers.filter(({ currentUsage }) => currentUsage === 0)
      const taking = idle.find(({ id }) => begun.has(id)) ?? idle[0] ?? null
      const notes: TaskNotes | null = Reflect.get(task, Piscina.queueOptionsSymbol)
      const thread = pool.threads.find(({ threadId }) => threadId === taking?.id)
      if (thread !== undefined) notes?.begun(thread)
      return taking
    },
    ...options,
  })
  pool.on('workerCreate', ({ id }: { id: number }) => begun.add(id))
  pool.on('workerDestroy', ({ id }: { id: number }) => begun.delete(id))
  // A thread that runs out of memory after its task was given up: another takes its place. Unheard, the event would end the process.
  pool.on('error', () => {})
  return pool
}

/**
 * How much of its thread's CPU time a task may take. Time in which the thread waits for a core, or the whole process stands still, is none of
 * the task's. Milliseconds.
 */
export interface TimeAllowed {
  /** From then on it is costly. */
  usual: number
  /** Then it is ended. */
  most: number
}

/** Minimum interval between two checks of a task's CPU time. Milliseconds. */
const lookMillisecondsMin = 50
/** Threads report CPU time between two steps of their program. Part of the time of a longer step counts as work. */
const tellMillisecondsMax = 1_000
const partCounted = 1 / 4

/** Ends a task by ending its thread, also in the midst of what never pauses; another thread begins for the next. */
export class Deadline {
  readonly #ending = new AbortController()
  readonly #allowed: TimeAllowed | undefined
  readonly #onCostly: () => void
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #isCostly = false
  #isSettled = false

  /** @param allowed undefined: any time */
  constructor(allowed: TimeAllowed | undefined, onCostly: () => void) {
    this.#allowed = allowed
    this.#onCostly = onCostly
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Whether the task was ended because of its time. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Marks a task so that its time is counted from when a thread takes it. */
  mark<Task extends object>(task: Task): Task {
    const notes: TaskNotes = { begun: (thread) => this.#begin(thread) }
    return Object.defineProperty(task, Piscina.queueOptionsSymbol, { value: notes })
  }

  #begin(thread: Worker): void {
    if (this.#allowed === undefined) return
    const { usual, most } = this.#allowed
    const spent = cpuTimeFromNow(thread)
    const look = async () => {
      const milliseconds = await spent()
      if (this.#isSettled) return
      if (milliseconds >= usual && !this.#isCostly) {
        this.#isCostly = true
        this.#onCostly()
      }
      if (milliseconds >= most) return this.#end()
      const left = (this.#isCostly ? most : usual) - milliseconds
      this.#timer = setTimeout(() => void look(), Math.max(lookMillisecondsMin, left))
    }
    this.#timer = setTimeout(() => void look(), usual)
  }

  #end(): void {
    this.#isOver = true
    this.#ending.abort()
  }

  /** Called when the caller no longer wants the outcome. */
  leave(): void {
    this.#ending.abort()
  }

  settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
  }
}

/** How much CPU time a thread takes from now on. Milliseconds. Never rejects: a thread that has ended takes none. */
function cpuTimeFromNow(thread: Worker): () => Promise<number> {
  const began = performance.now()
  const taken = async () => {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1000
  }
  const before = taken().catch(() => 0)
  return () => {
    const measured = Promise.all([taken(), before]).then(([now, then]) => now - then)
    const guessed = sleep(tellMillisecondsMax, undefined, { ref: false }).then(
      () => (performance.now() - began) * partCounted,
    )
    return Promise.race([measured, guessed]).catch(() => 0)
  }
}
