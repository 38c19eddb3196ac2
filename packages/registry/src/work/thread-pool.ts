/** Pools of threads for tasks that cost CPU, and the time limit of a task. Built on Piscina; `work.ts` decides the order of tasks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { threadsUsual } from '../memory.ts'

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

/** The pool's callback for a task, which stays in this thread. */
interface TaskNotes {
  begun(thread: Worker): void
}

/**
 * Opens a pool. Threads start when first needed and end after 30 s of idleness. A waiting task goes to an idle thread that has
 * started, if there is one; Piscina itself prefers threads that are still starting, which takes a second. A starting thread is
 * better than none: if no thread takes a task, Piscina starts as many as it may, and does nothing else while it closes.
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
  // A thread may run out of memory after its task was abandoned, and is replaced. Without a listener, the event would end the
  // process.
  pool.on('error', () => {})
  return pool
}

/**
 * Limits of a task's CPU time in its thread. Excludes time in which the thread waits for a core, or the whole process is
 * suspended. Milliseconds.
 */
export interface TimeAllowed {
  /** From this time on the task counts as costly. */
  usual: number
  /** At this time the task is ended. */
  most: number
}

/** Minimum interval between two checks of a task's CPU time. Milliseconds. */
const lookMillisecondsMin = 50
/**
 * Threads report CPU time only between two steps of their program. Without a report for this long, part of the elapsed time
 * counts.
 */
const tellMillisecondsMax = 1_000
/** The part that counts then. */
const partCounted = 1 / 4

/** Ends a task by ending its thread, even in code that never pauses; a new thread starts for the next task. */
export class Deadline {
  readonly #ending = new AbortController()
  readonly #allowed: TimeAllowed | undefined
  readonly #onCostly: () => void
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #isCostly = false
  #isSettled = false

  /** @param allowed undefined: no limit */
  constructor(allowed: TimeAllowed | undefined, onCostly: () => void) {
    this.#allowed = allowed
    this.#onCostly = onCostly
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** True if the task was ended because of its time. */
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

  /** Ends the task, because the caller no longer needs the outcome. */
  leave(): void {
    this.#ending.abort()
  }

  settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
  }
}

/**
 * Returns a function that measures the CPU time of a thread from now on. Milliseconds. It never rejects: a thread that has ended
 * uses none.
 */
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
