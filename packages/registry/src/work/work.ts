/** Runs tasks in worker threads, so that CPU-heavy work delays no other request. */
import { ObjectCorruptError } from '@ulmus/storage/decoding'
import { RegistryError } from '../errors/errors.ts'
import { memoryBudgets, threadsUsual } from '../memory.ts'
import { Costly } from './costly.ts'
import type { TaskMessage, TaskResult } from './run-task.ts'
import type { SchemaCosts, Task, TaskFor } from './task.ts'
import { Deadline, openThreadPool, type TimeAllowed } from './thread-pool.ts'
import { type Turn, Turns } from './turns.ts'

/** Threads of this process, of both pools. */
export interface Work {
  /**
   * Runs a task in a thread of its pool at its owner's turn, a short task in this thread.
   * @throws too_costly if a task that runs users' schemas exceeds its limit of time or memory; ObjectCorruptError; the signal's
   * reason.
   */
  run<Input extends object, Outcome>(
    task: Task<Input, Outcome>,
    input: Input,
    by: TaskFor,
  ): Promise<Awaited<Outcome>>
  /** False: a task for readers would wait for a thread to start. The call then starts one. */
  hasReader(): boolean
  /** Refuses waiting tasks, and waits for running ones. */
  close(): Promise<void>
}

export interface WorkOptions extends Partial<typeof usual> {
  /** Programs of the threads. Each imports the modules of its pool's tasks and exports `runTask`. */
  threads: { push: URL; read: URL }
  /** Called with each damaged object that a thread finds: its cached location may be outdated. */
  onDamage?: (kind: ObjectCorruptError['kind'], hash: ObjectCorruptError['hash']) => void
}

/** Limits of tasks that run users' schemas. */
const usual = {
  /** CPU time from which a task counts as costly. Milliseconds. */
  costlyMilliseconds: 1_000,
  /** CPU time that ends a task, in addition to the time for its size. Milliseconds. */
  taskMilliseconds: 5_000,
  /** JavaScript heap of a push thread; request bodies are outside of it. MiB. */
  heapMebibytes: memoryBudgets.heapMebibytes,
}
/** CPU time allowed per MiB of lines: three times that of the slowest, short records, on a shared core. Milliseconds. */
const perMebibyte = 150
/** CPU time allowed per MiB of schemas to compile: a thousand small ones take seconds. Milliseconds. */
const perMebibyteOfSchemas = 3_000
/** Limit for a task of any size. Milliseconds. */
const taskMillisecondsMax = 30_000
/**
 * Young generation of a thread's heap. Most allocations of a task are short-lived. A push of 200,000 records peaks at 420 MiB
 * with 6 MiB here, at 450 with this value and at 510 with V8's default of 48; this value checks its batches a fifth faster than
 * 6.
 */
const youngMebibytes = 16

const mebibyte = 1024 ** 2

interface Pool {
  run(
    message: TaskMessage,
    by: TaskFor,
    costs: SchemaCosts | undefined,
    over: ArrayBuffer[],
  ): Promise<TaskResult>
  close(): Promise<void>
}

export function openWork(options: WorkOptions): Work {
  const pools = { push: new PushThreads(options), read: new ReadThreads(options.threads.read) }
  return {
    async run<Input extends object, Outcome>(
      task: Task<Input, Outcome>,
      input: Input,
      by: TaskFor,
    ): Promise<Awaited<Outcome>> {
      if (task.isShort?.(input) === true) return await task.run(input)
      const message = { name: task.name, input }
      const over = (task.moves?.(input) ?? []) as ArrayBuffer[]
      const result = await pools[task.pool].run(message, by, task.costs?.(input), over)
      if ('outcome' in result) return result.outcome as Awaited<Outcome>
      const { kind, hash, pack } = result.damaged
      options.onDamage?.(kind, hash)
      throw new ObjectCorruptError(kind, hash, pack)
    },
    hasReader: () => pools.read.hasBegun(),
    async close() {
      await Promise.all([pools.push.close(), pools.read.close()])
    },
  }
}

/**
 * Threads for pushes and metadata updates, shared by owners in turns. There is one more than for readers, reserved for owners
 * without running tasks: an account with tasks for every core does not keep others waiting.
 */
class PushThreads implements Pool {
  readonly #limits: typeof usual
  readonly #pool: ReturnType<typeof openThreadPool>
  readonly #costly = new Costly()
  readonly #turns: Turns

  constructor({ threads: { push }, ...options }: WorkOptions) {
    this.#limits = { ...usual, ...options }
    const threads = threadsUsual + 1
    this.#pool = openThreadPool({
      filename: push.href,
      maxThreads: threads,
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.heapMebibytes,
        maxYoungGenerationSizeMb: youngMebibytes,
      },
    })
    const isSlowed = (owner: string) => this.#costly.isSlowed(owner)
    this.#turns = new Turns({ places: threads, keepsOne: true, isSlowed })
  }

  async run(
    message: TaskMessage,
    { owner, signal }: TaskFor,
    costs: SchemaCosts | undefined,
    over: ArrayBuffer[],
  ): Promise<TaskResult> {
    this.#refuseCostly(owner, costs)
    let turn: Turn | undefined
    const deadline = new Deadline(costs && this.#allowed(costs), () => {
      turn!.isCostly = true
    })
    const leave = () => deadline.leave()
    const work = async (taken: Turn) => {
      turn = taken
      // Another task may have found the schemas too costly while this one waited.
      this.#refuseCostly(owner, costs)
      signal?.addEventListener('abort', leave)
      try {
        const running = { name: 'runTask', transferList: over, signal: deadline.signal }
        return (await this.#pool.run(deadline.mark(message), running)) as TaskResult
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const isTooLarge = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
        if (!deadline.isOver && !isTooLarge) throw error
        this.#costly.note(owner, costs?.schemas)
        throw new RegistryError('too_costly')
      } finally {
        deadline.settle()
        signal?.removeEventListener('abort', leave)
      }
    }
    return this.#turns.run(owner, work, signal)
  }

  async close(): Promise<void> {
    // Close the turns first: a closing Piscina waits forever for a task that is ended meanwhile.
    await this.#turns.close()
    await this.#pool.destroy()
  }

  #refuseCostly(owner: string, costs: SchemaCosts | undefined): void {
    if (this.#costly.isRefused(owner, costs?.schemas)) throw new RegistryError('too_costly')
  }

  #allowed({ bytes, schemaUnits }: SchemaCosts): TimeAllowed {
    const { costlyMilliseconds, taskMilliseconds } = this.#limits
    const bySize = (bytes / mebibyte) * perMebibyte
    const most = taskMilliseconds + bySize + (schemaUnits / mebibyte) * perMebibyteOfSchemas
    const atMost = Math.max(Math.min(most, taskMillisecondsMax), taskMilliseconds)
    return { usual: Math.min(costlyMilliseconds + bySize, atMost), most: atMost }
  }
}

/** Threads that decode leaves for readers: the event loop stays free for other requests, and a stream uses more than one core. */
class ReadThreads implements Pool {
  readonly #pool: ReturnType<typeof openThreadPool>
  readonly #turns = new Turns({ places: threadsUsual })
  #isStarting = false

  constructor(program: URL) {
    const resourceLimits = { maxYoungGenerationSizeMb: youngMebibytes }
    this.#pool = openThreadPool({ filename: program.href, resourceLimits })
  }

  run(
    message: TaskMessage,
    { owner, signal }: TaskFor,
    _costs: SchemaCosts | undefined,
    over: ArrayBuffer[],
  ): Promise<TaskResult> {
    const options = { name: 'runTask', transferList: over }
    return this.#turns.run(owner, () => this.#pool.run(message, options), signal)
  }

  /** Starting a thread takes tenths of a second, and keeping one idle 54 MB. */
  hasBegun(): boolean {
    if (this.#pool.threads.length === 0) void this.#start()
    return !this.#isStarting
  }

  async #start(): Promise<void> {
    this.#isStarting = true
    try {
      await this.#pool.run(undefined, { name: 'begin' })
    } catch {
      // The pool closed meanwhile, or the next task reports the error.
    } finally {
      this.#isStarting = false
    }
  }

  async close(): Promise<void> {
    await this.#turns.close()
    await this.#pool.close()
  }
}
