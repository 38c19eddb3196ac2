/**
 * Queue for the processes that callers share, such as those of DuckDB: bounded by owner, in turns, with times of owners. One place is for
 * owners that recently used little, and no turn outlasts another owner's wait. docs/decisions/tables.md#no-caller-holds-the-last-process
 */
import { Costly } from './costly.ts'
import { TurnCutError, Turns } from './turns.ts'

/** A turn of this age is cut while an owner waits that recently used less; owners that used more are slowed. Milliseconds. */
export const turnMilliseconds = 3_000

/** A task was not run, or not to its end. */
export class QueueError extends Error {
  /** `full`: too many tasks wait. `cut`: others waited. */
  readonly kind: 'full' | 'cut'

  constructor(kind: QueueError['kind'], options?: ErrorOptions) {
    super(kind === 'full' ? 'Too many tasks wait.' : 'The task takes long, and others wait.', options)
    this.name = 'QueueError'
    this.kind = kind
  }
}

export interface QueuedTask {
  readonly owner: string
  /** Waiting and running tasks of this owner; long ones are counted apart. */
  readonly ownMax: number
  /** True: may take minutes. Default: false. */
  readonly isLong?: boolean
  /** As in `adopt`. */
  readonly key?: string
}

export interface ProcessQueueOptions {
  /** Processes. */
  readonly places: number
  /** Waiting and running tasks of all owners. */
  readonly tasksMax: number
  /** True for an error that the task would cause again. */
  readonly isTooCostly: (error: unknown) => boolean
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

export class ProcessQueue {
  readonly #options: ProcessQueueOptions
  readonly #turns: Turns
  readonly #costly = new Costly()
  /** Waiting and running tasks by owner and length. */
  readonly #tasks = new Map<string, number>()

  constructor({ places, now, ...options }: ProcessQueueOptions) {
    this.#options = { places, ...options }
    this.#turns = new Turns({
      places,
      keepsOne: true,
      isSlowed: (owner) => this.#costly.isSlowed(owner),
      timing: { slowedAfter: turnMilliseconds, cutAfter: turnMilliseconds },
      ...(now && { now }),
    })
  }

  /**
   * @param work ends soon after its signal is aborted, and may run twice then
   * @throws QueueError, and the rejection of `work`
   */
  async run<T>(task: QueuedTask, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { owner } = task
    const counted = `${task.isLong === true} ${owner}`
    const own = this.#tasks.get(counted) ?? 0
    const all = [...this.#tasks.values()].reduce((sum, count) => sum + count, 0)
    if (own >= task.ownMax || all >= this.#options.tasksMax) throw new QueueError('full')
    this.#tasks.set(counted, own + 1)
    try {
      return await this.#turns.run(owner, ({ signal }) => work(signal), undefined, task)
    } catch (error) {
      if (error instanceof TurnCutError) throw new QueueError('cut', { cause: error })
      if (this.#options.isTooCostly(error)) this.#costly.note(owner, undefined)
      throw error
    } finally {
      const left = this.#tasks.get(counted)! - 1
      if (left > 0) this.#tasks.set(counted, left)
      else this.#tasks.delete(counted)
    }
  }

  /** Lets a waiting task with this `key` wait for another owner too, whose turn comes sooner. */
  adopt(key: string, owner: string): void {
    this.#turns.adopt(key, owner)
  }
}
