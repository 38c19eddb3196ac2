/** The worker threads: what costs CPU runs there, so that a push delays no one else's request. */

import { RegistryError } from '../errors/errors.ts'
import { memoryBudgets, threadsUsual } from '../memory.ts'
import {
  fitMetadata,
  type MetadataOutcome,
  type MetadataTask,
  type PatchOutcome,
  type PatchTask,
  readPatch,
} from '../metadata/tasks.ts'
import type { CarriedFault, CarriedTask } from '../pushes/commit/check-carried.ts'
import type { EditedLeaves, LeavesOutcome, LeavesTask } from '../pushes/leaves/edit-leaves.ts'
import { checkOpening, type OpeningOutcome, type OpeningTask } from '../pushes/opening/check-opening.ts'
import type { BatchOutcome, BatchTask } from '../pushes/receiving/check-batch.ts'
import type { ManifestOutcome, ManifestTask } from '../pushes/receiving/check-manifest.ts'
import type { ReferencesFound, ReferencesTask } from '../pushes/references/find-references.ts'
import type { SchemasOutcome, SchemaTexts } from '../pushes/schemas/accept-schemas.ts'
import type { Privacy, PrivacyTask } from '../pushes/schemas/compare-privacy.ts'
import type { PushSchemas } from '../pushes/schemas/push-schema.ts'
import { Costly } from '../threads/costly.ts'
import { refuseDamaged } from '../threads/damage.ts'
import { wholeBuffers } from '../threads/free.ts'
import { type InPieces, joined, type Pieces } from '../threads/pieces.ts'
import type { TaskFor } from '../threads/task-for.ts'
import { Deadline, openThreadPool, type TimeAllowed } from '../threads/thread-pool.ts'
import { type Turn, Turns } from '../threads/turns.ts'

/** Tasks that run users' schemas throw too_costly if they take more time or memory than a worker has. */
export interface Workers {
  /** Checks a batch of lines. Takes the task's bytes over: they are gone from this thread afterwards. */
  checkBatch(task: InPieces<BatchTask>, by: TaskFor): Promise<BatchOutcome>
  /** Checks a chunk of a manifest; takes the bytes over. */
  checkManifest(task: InPieces<ManifestTask>, by: TaskFor): Promise<ManifestOutcome>
  /** Reads the body that opens a session, a short one in this thread; takes the bytes over. */
  checkOpening(task: InPieces<OpeningTask>, by: TaskFor): Promise<OpeningOutcome>
  /** Checks records that are carried over; takes the bytes over. */
  checkCarried(task: CarriedTask, by: TaskFor): Promise<CarriedFault[]>
  /** Finds what records refer to; takes their bytes over. */
  findReferences(task: ReferencesTask, by: TaskFor): Promise<ReferencesFound>
  /**
   * Edits leaves of a record tree; takes over the edits' bytes, and what was read if nothing else lies beside it in memory.
   * @throws ObjectCorrupt.
   */
  editLeaves(task: LeavesTask, by: TaskFor): Promise<EditedLeaves>
  acceptSchemas(texts: SchemaTexts, by: TaskFor): Promise<SchemasOutcome>
  comparePrivacy(task: PrivacyTask, by: TaskFor): Promise<Privacy>
  /** Fits metadata to its base, a short patch in this thread. */
  fitMetadata(task: MetadataTask, by: TaskFor): Promise<MetadataOutcome>
  /** Reads a body that patches metadata, a short one in this thread; takes the bytes over. */
  readPatch(task: InPieces<PatchTask>, by: TaskFor): Promise<PatchOutcome>
  /** Waits for running tasks. */
  close(): Promise<void>
}

/**
 * What a task that asks users' schemas is allowed, beside what its size allows it; and what its thread may hold in JavaScript's heap: bodies
 * lie outside of it. Milliseconds.
 */
const usual = {
  costlyMilliseconds: 1_000,
  taskMilliseconds: 5_000,
  heapMebibytes: memoryBudgets.heapMebibytes,
}
/**
 * What a MiB of lines allows such a task: three times what the slowest of them, short records, take on a core that they share with
 * another thread. Milliseconds.
 */
const perMebibyte = 150
/** Time allowed per MiB of schemas to compile: a thousand small ones take seconds. Milliseconds. */
const perMebibyteOfSchemas = 3_000
/** However large it is. Milliseconds. */
const taskMillisecondsMax = 30_000
/**
 * Of what a task makes next to nothing outlives it. A push of 200,000 records takes 420 MiB at its peak with 6 MiB for young objects, 450
 * with this and 510 with V8's usual 48; its batches are checked a fifth faster with this than with 6.
 */
export const youngMebibytes = 16

/** JSON up to this size is read where it is: 3 ms as usual, 23 at worst, and waits for no worker. Bytes. */
const shortBytesMax = 65_536

const mebibyte = 1024 ** 2

/** Properties of a task that decide how it is run. */
interface Costs {
  /** Of what it reads. Bytes. */
  bytes: number
  /** Users' schemas that it compiles and asks, or some of them. Bytes; undefined: none, so its time is linear in what it reads. */
  schemaBytes?: number
  /** Names the schemas that it asks. */
  schemas?: string
}

/**
 * Threads of their own (`openThreadPool`), shared by owners in turns. There is one more than elsewhere, reserved for owners without
 * running tasks: an account with tasks for every core does not keep others waiting.
 */
class TaskRunner {
  readonly #limits: typeof usual
  readonly #pool: ReturnType<typeof openThreadPool>
  readonly #costly = new Costly()
  readonly #turns: Turns

  constructor(options: Partial<typeof usual>) {
    this.#limits = { ...usual, ...options }
    const threads = threadsUsual + 1
    this.#pool = openThreadPool({
      filename: new URL('./tasks.ts', import.meta.url).href,
      maxThreads: threads,
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.heapMebibytes,
        maxYoungGenerationSizeMb: youngMebibytes,
      },
    })
    const isSlowed = (owner: string) => this.#costly.isSlowed(owner)
    this.#turns = new Turns({ places: threads, keepsOne: true, isSlowed })
  }

  /** @param over what the thread takes over. @throws too_costly, the signal's reason, and what the task throws */
  async run<Outcome>(
    name: string,
    task: object,
    { owner, signal }: TaskFor,
    costs: Costs,
    over: ArrayBufferLike[] = [],
  ): Promise<Outcome> {
    this.#refuseCostly(owner, costs)
    let turn: Turn | undefined
    const deadline = new Deadline(this.#allowed(costs), () => {
      turn!.isCostly = true
    })
    const leave = () => deadline.leave()
    const work = async (taken: Turn) => {
      turn = taken
      // It may have been found too costly while this task waited.
      this.#refuseCostly(owner, costs)
      signal?.addEventListener('abort', leave)
      try {
        const transferList = over as ArrayBuffer[]
        const running = this.#pool.run(deadline.mark(task), { name, transferList, signal: deadline.signal })
        return (await running) as Outcome
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const isTooLarge = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
        if (!deadline.isOver && !isTooLarge) throw error
        this.#costly.note(owner, costs.schemas)
        throw new RegistryError('too_costly')
      } finally {
        deadline.settle()
        signal?.removeEventListener('abort', leave)
      }
    }
    return this.#turns.run(owner, work, signal)
  }

  /** A task whose bytes the thread takes over. @param asked the users' schemas that it asks */
  runOver<Outcome>(name: string, task: InPieces<object>, by: TaskFor, asked?: PushSchemas): Promise<Outcome> {
    const schemas = asked && { schemaBytes: asked.units, schemas: asked.name }
    const over = task.bytes.map(({ buffer }) => buffer)
    return this.run(name, task, by, { bytes: lengthOf(task.bytes), ...schemas }, over)
  }

  async close(): Promise<void> {
    // Piscina, when it closes, waits for ever for a task that is ended meanwhile.
    await this.#turns.close()
    await this.#pool.destroy()
  }

  #refuseCostly(owner: string, { schemas }: Costs): void {
    if (this.#costly.isRefused(owner, schemas)) throw new RegistryError('too_costly')
  }

  #allowed({ bytes, schemaBytes }: Costs): TimeAllowed | undefined {
    if (schemaBytes === undefined) return undefined
    const { costlyMilliseconds, taskMilliseconds } = this.#limits
    const bySize = (bytes / mebibyte) * perMebibyte
    const most = taskMilliseconds + bySize + (schemaBytes / mebibyte) * perMebibyteOfSchemas
    const atMost = Math.max(Math.min(most, taskMillisecondsMax), taskMilliseconds)
    return { usual: Math.min(costlyMilliseconds + bySize, atMost), most: atMost }
  }
}

/** The tasks of pushes and metadata updates, in threads that they share. */
export function openWorkers(options: Partial<typeof usual> = {}): Workers {
  const runner = new TaskRunner(options)
  return {
    checkBatch: (task, by) => runner.runOver('checkBatch', task, by, task.schemas),
    checkManifest: (task, by) => runner.runOver('checkManifest', task, by),
    checkOpening: async (task, by) => {
      if (lengthOf(task.bytes) > shortBytesMax) return runner.runOver('checkOpening', task, by)
      return checkOpening({ ...task, bytes: joined(task.bytes) })
    },
    checkCarried: (task, by) => {
      const { bytes, schemas } = task
      const costs = { bytes: bytes.length, schemaBytes: schemas.units, schemas: schemas.name }
      return runner.run('checkCarried', task, by, costs, [bytes.buffer])
    },
    findReferences: (task, by) =>
      runner.run('findReferences', task, by, { bytes: task.bytes.length }, [task.bytes.buffer]),
    editLeaves: async (task, by) => {
      const over = [task.edits.buffer, ...wholeBuffers(task.encoded)]
      const bytes = over.reduce((sum, { byteLength }) => sum + byteLength, 0)
      return refuseDamaged(await runner.run<LeavesOutcome>('editLeaves', task, by, { bytes }, over))
    },
    acceptSchemas: (texts, by) => {
      const units = unitsOf(texts)
      return runner.run('acceptSchemas', { texts }, by, { bytes: units, schemaBytes: units })
    },
    comparePrivacy: (task, by) =>
      runner.run('comparePrivacy', task, by, { bytes: unitsOf(task.base) + unitsOf(task.next) }),
    fitMetadata: async (task, by) => {
      const { length } = task.patch
      if (length <= shortBytesMax) return fitMetadata(task)
      return runner.run('fitMetadata', task, by, { bytes: length })
    },
    readPatch: async (task, by) => {
      if (lengthOf(task.bytes) > shortBytesMax) return runner.runOver('readPatch', task, by)
      return readPatch({ bytes: joined(task.bytes) })
    },
    close: () => runner.close(),
  }
}

const unitsOf = (texts: SchemaTexts): number =>
  texts.reduce((sum, [type, text]) => sum + type.length + text.length, 0)

const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, piece) => sum + piece.length, 0)
