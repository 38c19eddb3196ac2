/** The worker threads: what costs CPU runs there, so that a push delays no one else's request. */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { SchemasOutcome } from './workers/accept-schemas.ts'
import type { BatchOutcome, BatchTask } from './workers/check-batch.ts'

export interface Workers {
  /** Checks a batch of lines. Takes the task's bytes over: they are gone from this thread afterwards. */
  checkBatch(task: BatchTask): Promise<BatchOutcome>
  /** @param text JSON `{type: schema}` */
  acceptSchemas(text: string): Promise<SchemasOutcome>
  /** Waits for running tasks. */
  close(): Promise<void>
}

/** Threads start when first needed and end after 30 s of idleness. */
export function openWorkers(): Workers {
  const pool = new Piscina({
    filename: new URL('./workers/tasks.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(1, availableParallelism() - 1),
    idleTimeout: 30_000,
  })
  return {
    checkBatch: (task) =>
      pool.run(task, { name: 'checkBatch', transferList: [task.bytes.buffer as ArrayBuffer] }),
    acceptSchemas: (text) => pool.run(text, { name: 'acceptSchemas' }),
    close: () => pool.close(),
  }
}
