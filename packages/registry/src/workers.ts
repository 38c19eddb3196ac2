/** The worker threads: what costs CPU runs there, so that a push delays no one else's request. */
import { RegistryError } from './errors.ts'
import { wholeBuffers } from './free.ts'
import { type InPieces, joined } from './pieces.ts'
import { openThreadPool } from './thread-pool.ts'
import type { SchemasOutcome } from './workers/accept-schemas.ts'
import type { BatchOutcome, BatchTask } from './workers/check-batch.ts'
import type { CarriedFault, CarriedTask } from './workers/check-carried.ts'
import type { ManifestOutcome, ManifestTask } from './workers/check-manifest.ts'
import { checkOpening, type OpeningOutcome, type OpeningTask } from './workers/check-opening.ts'
import { refuseDamaged } from './workers/damage.ts'
import type { EditedLeaves, LeavesOutcome, LeavesTask } from './workers/edit-leaves.ts'
import { fitMetadata, type MetadataOutcome, type MetadataTask } from './workers/fit-metadata.ts'
import type { PatchOutcome } from './workers/read-patch.ts'
import type { TaskLimits, TooCostly } from './workers/tasks.ts'

/** What asks users' schemas throws too_costly when it takes more time or memory than a worker has. */
export interface Workers {
  /** Checks a batch of lines. Takes the task's bytes over: they are gone from this thread afterwards. */
  checkBatch(task: InPieces<BatchTask>): Promise<BatchOutcome>
  /** Checks a chunk of a manifest; takes the bytes over. */
  checkManifest(task: InPieces<ManifestTask>): Promise<ManifestOutcome>
  /** Reads the body that opens a session, a short one in this thread; takes the bytes over. */
  checkOpening(task: InPieces<OpeningTask>): Promise<OpeningOutcome>
  /** Checks records that are carried over; takes the bytes over. */
  checkCarried(task: CarriedTask): Promise<CarriedFault[]>
  /**
   * Edits leaves of a record tree; takes over the edits' bytes, and what was read if nothing else lies beside it in memory.
   * @throws ObjectCorrupt.
   */
  editLeaves(task: LeavesTask): Promise<EditedLeaves>
  /** @param bytes JSON `{type: schema}`; they are taken over. */
  acceptSchemas(bytes: Uint8Array<ArrayBuffer>): Promise<SchemasOutcome>
  /** Fits metadata to its base, a short patch in this thread; takes the bytes over. */
  fitMetadata(task: MetadataTask): Promise<MetadataOutcome>
  /** Reads a body that patches metadata; takes the bytes over. */
  readPatch(bytes: Uint8Array<ArrayBuffer>): Promise<PatchOutcome>
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

/** JSON up to this size is read where it is: 3 ms as usual, 23 at worst, and waits for no worker. Bytes. */
export const shortBytesMax = 65_536

/** Threads of their own (`openThreadPool`). */
export function openWorkers({ taskMilliseconds, heapMebibytes } = usual): Workers {
  const pool = openThreadPool({
    filename: new URL('./workers/tasks.ts', import.meta.url).href,
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
    checkOpening: async (task) => {
      const length = task.bytes.reduce((sum, piece) => sum + piece.length, 0)
      if (length > shortBytesMax) return overTaken('checkOpening', task)
      return checkOpening({ ...task, bytes: joined(task.bytes) })
    },
    checkCarried: (task) => run('checkCarried', task, [task.bytes.buffer]),
    editLeaves: async (task) =>
      refuseDamaged(
        await run<LeavesOutcome>('editLeaves', task, [task.edits.buffer, ...wholeBuffers(task.encoded)]),
      ),
    acceptSchemas: (bytes) => run('acceptSchemas', bytes, [bytes.buffer]),
    fitMetadata: async (task) =>
      task.bytes.length > shortBytesMax ? run('fitMetadata', task, [task.bytes.buffer]) : fitMetadata(task),
    readPatch: (bytes) => run('readPatch', bytes, [bytes.buffer]),
    close: () => pool.close(),
  }
}

const tooCostly: TooCostly = { kind: 'too_costly' }

const isTooCostly = (outcome: unknown): outcome is TooCostly =>
  typeof outcome === 'object' && outcome !== null && 'kind' in outcome && outcome.kind === 'too_costly'
