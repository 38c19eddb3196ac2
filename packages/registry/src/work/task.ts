/** Tasks for worker threads. Each is defined beside the function that it runs; `Work` runs it. */

export interface Task<Input extends object, Outcome> {
  readonly name: string
  /** `push`: one of the threads for pushes and metadata updates. `read`: one of the threads for readers; pushes do not wait for these. */
  readonly pool: 'push' | 'read'
  /** May be async. The thread passes on ObjectCorrupt; other errors lose their class. */
  readonly run: (input: Input) => Outcome
  /** Tasks that run users' schemas have a limit of CPU time and memory. Default: the time is linear in what the task reads, and has none. */
  readonly costs?: (input: Input) => SchemaCosts
  /** True: short enough for the calling thread. Default: never. */
  readonly isShort?: (input: Input) => boolean
  /** Buffers that move to the thread: the caller loses them. */
  readonly moves?: (input: Input) => ArrayBufferLike[]
  /** Buffers that move back with the outcome. */
  readonly returns?: (outcome: Awaited<Outcome>) => ArrayBuffer[]
}

/** Sizes that a task's time limit depends on. */
export interface SchemaCosts {
  /** Records that it reads. Bytes. */
  readonly bytes: number
  /** Schemas that it compiles, or some of which it runs. UTF-16 units of JSON. */
  readonly schemaUnits: number
  /** Identifies the schemas. Default: not known yet. */
  readonly schemas?: string
}

/** Owner and cancellation of a task. */
export interface TaskFor {
  /** Takes turns with others: the id of the account that sent the request or, for a commit, that owns the collection; of a reader, `readerOf`. */
  owner: string
  /** Aborts the task, also while it waits; the task rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** JSON up to this size is short enough for the calling thread: usually 3 ms, 23 at worst. Bytes. */
export const shortBytesMax = 65_536

const tasks = new Map<string, Task<object, unknown>>()

/** Threads find the task by its name: `push-thread.ts` and `read-thread.ts` import every module that defines one. @throws Error if the name is taken. */
export function defineTask<Input extends object, Outcome>(task: Task<Input, Outcome>): Task<Input, Outcome> {
  if (tasks.has(task.name)) throw new Error(`Two tasks are named ${task.name}.`)
  tasks.set(task.name, task as unknown as Task<object, unknown>)
  return task
}

export const taskNamed = (name: string): Task<object, unknown> | undefined => tasks.get(name)
