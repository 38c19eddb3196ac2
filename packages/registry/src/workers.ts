/** The worker threads: what costs CPU runs there, so that a push delays no one else's request. */
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { RegistryError } from './errors.ts'
import type { InPieces } from './pieces.ts'
import type { SchemasOutcome } from './workers/accept-schemas.ts'
import type { BatchOutcome, BatchTask } from './workers/check-batch.ts'
import type { CarriedFault, CarriedTask } from './workers/check-carried.ts'
import type { ManifestOutcome, ManifestTask, OpeningOutcome, OpeningTask } from './workers/check-manifest.ts'
import { refuseDamaged } from './workers/damage.ts'
import type { EditedLeaves, LeavesOutcome, LeavesTask } from './workers/edit-leaves.ts'
import type { TaskLimits, TooCostly } from './workers/tasks.ts'

/** What asks users' schemas throws too_costly when it takes more time or memory than a worker has. */
export interface Workers {
  /** Checks a batch of lines. Takes the task's bytes over: they are gone from this thread afterwards. */
  checkBatch(task: InPieces<BatchTask>): Promise<BatchOutcome>
  /** Checks a chunk of a manifest, and likewise the body that opens a snapshot; takes the bytes over. */
  checkManifest(task: InPieces<ManifestTask>): Promise<ManifestOutcome>
  checkOpening(task: InPieces<OpeningTask>): Promise<OpeningOutcome>
  /** Checks records that are carried over; takes the bytes over. */
  checkCarried(task: CarriedTask): Promise<CarriedFault[]>
  /** Edits leaves of a record tree; takes the edits' bytes over. @throws ObjectCorrupt. */
  editLeaves(task: LeavesTask): Promise<EditedLeaves>
  /** @param text JSON `{type: schema}` */
  acceptSchemas(text: string): Promise<SchemasOutcome>
  /** Waits for running tasks. */
  close(): Promise<void>
}

/** How long one task may run, and what its thread may hold in JavaScript's heap: bodies lie outside of it. */
const usual = { taskMilliseconds: 60_000, heapMebibytes: 1_024 }
/**
 * Of what a task makes next to nothing outlives it. A push of 200,000 records takes 420 MiB at its peak with 6 MiB for young objects, 450
 * with this and 510 with V8's usual 48; its batches are checked a fifth faster with this than with 6.
 */
export const youngMebibytes = 16

/** As many threads as cores; they start when first needed and end after 30 s of idleness. */
export function openWorkers({ taskMilliseconds, heapMebibytes } = usual): Workers {
  const pool = new Piscina({
    filename: new URL('./workers/tasks.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: 30_000,
    workerData: { taskMilliseconds } satisfies TaskLimits,
    resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: youngMebibytes },
  })
  const run = async <Outcome>(
    name: string,
    task: unknown,
    over: ArrayBufferLike[] = [],
  ): Promise<Outcome> => {
    const transferList = over as ArrayBuffer[]
    const outcome = await pool
      .run(task, { name, transferList })
      .then((value) => value as Outcome | TooCostly)
      .catch((error: { code?: unknown }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return tooCostly
        throw error
      })
    if (isTooCostly(outcome)) throw new RegistryError('too_costly')
    return outcome
  }
  const overTaken = <Outcome>(name: string, task: InPieces<object>): Promise<Outcome> =>
    run(
      name,
      task,
      task.bytes.map(({ buffer }) => buffer),
    )
  return {
    checkBatch: (task) => overTaken('checkBatch', task),
    checkManifest: (task) => overTaken('checkManifest', task),
    checkOpening: (task) => overTaken('checkOpening', task),
    checkCarried: (task) => run('checkCarried', task, [task.bytes.buffer]),
    editLeaves: async (task) =>
      refuseDamaged(await run<LeavesOutcome>('editLeaves', task, [task.edits.buffer])),
    acceptSchemas: (text) => run('acceptSchemas', text),
    close: () => pool.close(),
  }
}

const tooCostly: TooCostly = { kind: 'too_costly' }

const isTooCostly = (outcome: unknown): outcome is TooCostly =>
  typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'too_costly'
