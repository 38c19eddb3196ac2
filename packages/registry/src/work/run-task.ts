/** The part of `work.ts` that runs in a worker thread: push-thread.ts and read-thread.ts export it, and the pool calls it. */
import { ObjectCorruptError } from '@ulmus/storage/decoding'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { taskNamed } from './task.ts'

/** Message to a thread. */
export interface TaskMessage {
  readonly name: string
  readonly input: object
}

/** Answer of a thread. */
export type TaskResult =
  | { readonly outcome: unknown }
  /** The thread found a damaged object. Messages between threads do not keep the class of an error. */
  | { readonly damaged: Pick<ObjectCorruptError, 'kind' | 'hash' | 'pack'> }

/** @throws Error if no module of the thread's program defines the task. */
export async function runTask({ name, input }: TaskMessage): Promise<TaskResult> {
  const task = taskNamed(name)
  if (task === undefined) throw new Error(`${name} is not imported by this thread's program.`)
  let outcome: unknown
  try {
    outcome = await task.run(input)
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    const { kind, hash, pack } = error
    return { damaged: { kind, hash, pack } }
  }
  const buffers = task.returns?.(outcome) ?? []
  if (buffers.length === 0) return { outcome }
  return move({ [transferableSymbol]: buffers, [valueSymbol]: { outcome } }) as unknown as TaskResult
}
