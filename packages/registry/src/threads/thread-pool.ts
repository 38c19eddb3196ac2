/** Pools of threads for tasks that cost CPU. */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

/** As many threads as cores, two at least. */
export const threadsUsual = Math.max(2, availableParallelism())

/** What the pool is told of a task beside what its thread is. */
interface TaskNotes {
  begun(): void
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
      if (taking !== null) notes?.begun()
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

/** How long a task may run in its thread. Milliseconds. */
export interface TimeAllowed {
  /** From then on it is costly. */
  usual: number
  /** Then it is ended. */
  most: number
}

/** Ends a task by ending its thread, also in the midst of what never pauses; another thread begins for the next. */
export class Deadline {
  readonly #ending = new AbortController()
  readonly #allowed: TimeAllowed | undefined
  readonly #onCostly: () => void
  #timer: NodeJS.Timeout | undefined
  #isOver = false

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
    const notes: TaskNotes = { begun: () => this.#begin() }
    return Object.defineProperty(task, Piscina.queueOptionsSymbol, { value: notes })
  }

  #begin(): void {
    if (this.#allowed === undefined) return
    const { usual, most } = this.#allowed
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#end(), most - usual)
      this.#onCostly()
    }, usual)
  }

  #end(): void {
    this.#isOver = true
    this.#ending.abort()
  }

  /** Nobody wants it any more. */
  leave(): void {
    this.#ending.abort()
  }

  settle(): void {
    clearTimeout(this.#timer)
  }
}
