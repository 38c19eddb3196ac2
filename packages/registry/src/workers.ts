/** The worker threads: what costs CPU runs there, so that a push delays no one else's request. */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { SchemasOutcome } from './workers/accept-schemas.ts'
import type { BatchOutcome, BatchTask } from './workers/check-batch.ts'
import type { ManifestOutcome, ManifestTask, OpeningOutcome, OpeningTask } from './workers/check-manifest.ts'

export interface Workers {
  /** Checks a batch of lines. Takes the task's bytes over: they are gone from this thread afterwards. */
  checkBatch(task: BatchTask): Promise<BatchOutcome>
  /** Checks a chunk of a manifest, and likewise the body that opens a snapshot; takes the bytes over. */
  checkManifest(task: ManifestTask): Promise<ManifestOutcome>
  checkOpening(task: OpeningTask): Promise<OpeningOutcome>
  /** @param text JSON `{type: schema}` */
  acceptSchemas(text: string): Promise<SchemasOutcome>
  /** Waits for running tasks. */
  close(): Promise<void>
}

/** As many threads as cores; they start when first needed and end after 30 s of idleness. */
export function openWorkers(): Workers {
  const pool = new Piscina({
    filename: new URL('./workers/tasks.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: 30_000,
  })
  const overTaken = <Outcome>(name: string, task: { bytes: Uint8Array }): Promise<Outcome> =>
    pool.run(task, { name, transferList: [task.bytes.buffer as ArrayBuffer] })
  return {
    checkBatch: (task) => overTaken('checkBatch', task),
    checkManifest: (task) => overTaken('checkManifest', task),
    checkOpening: (task) => overTaken('checkOpening', task),
    acceptSchemas: (text) => pool.run(text, { name: 'acceptSchemas' }),
    close: () => pool.close(),
  }
}
