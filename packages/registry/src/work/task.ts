/** Tasks for worker threads. Each is defined beside the function that it runs; `Work` runs it. */

/** A task. Its input and outcome pass between threads as messages: plain values and buffers only. */
export interface Task<Input extends object, Outcome> {
  readonly name: string
  /** `push`: threads for pushes and metadata updates. `read`: threads for readers; pushes do not wait for these. */
  readonly pool: 'push' | 'read'
  /** May be async. The thread reports ObjectCorruptError; other errors lose their class. */
  readonly run: (input: Input) => Outcome
  /**
   * Set for tasks that run users' schemas: these have limits of CPU time and memory. Default: no limit, because the time is
   * linear in the input.
   */
  readonly costs?: (input: Input) => SchemaCosts
  /** True: the input is short enough for the calling thread. Default: never. */
  readonly isShort?: (input: Input) => boolean
  /** Buffers transferred to the thread: the caller loses them. */
  readonly moves?: (input: Input) => ArrayBufferLike[]
  /** Buffers transferred back with the outcome. */
  readonly returns?: (outcome: Awaited<Outcome>) => ArrayBuffer[]
}

/** Sizes that determine a task's time limit. */
export interface SchemaCosts {
  /** Size of the records to read. Bytes. */
  readonly bytes: number
  /** Size of the schemas to compile or to run. UTF-16 units of JSON. */
  readonly schemaUnits: number
  /** Identifies the schemas. Default: unknown. */
  readonly schemas?: string
}

/** Owner and cancellation of a task. */
export interface TaskFor {
  /**
   * Owner in the fair queue: id of the account that sent the request or, for a commit, that owns the collection; for a reader,
   * `readerOf`.
   */
  owner: string
  /** Aborts the task, even while it waits; the task rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** JSON up to this size is parsed on the calling thread: usually in 3 ms, 23 at worst. Bytes. */
export const shortBytesMax = 65_536

const tasks = new Map<string, Task<object, unknown>>()

/**
 * Threads find the task by its name: `push-thread.ts` and `read-thread.ts` import every module that defines one.
 * @throws Error if the name is taken.
 */
export function defineTask<Input extends object, Outcome>(task: Task<Input, Outcome>): Task<Input, Outcome> {
  if (tasks.has(task.name)) throw new Error(`Two tasks are named ${task.name}.`)
  tasks.set(task.name, task as unknown as Task<object, unknown>)
  return task
}

export const taskNamed = (name: string): Task<object, unknown> | undefined => tasks.get(name)
