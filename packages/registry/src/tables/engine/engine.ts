/** Engine processes of a server: two that build table files, one of them ahead of questions, and three that answer questions about them. */
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { StorageFullError } from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import { memoryBudgets } from '../../memory.ts'
import { ProcessQueue, type QueuedTask, QueueError } from '../../work/process-queue.ts'
import { Program } from '../../work/program.ts'
import { type EngineReply, type EngineTask, openFilesMax } from './engine-task.ts'
import type { Statement } from './query-sql.ts'

/** Processes that answer. Files and other long questions leave one of them free, callers that used much another. */
const askers = 3
/** CPU time after which a question is interrupted. Milliseconds. */
const questionMilliseconds = 5_000
/** CPU time for a part of the records while a table is built, which usually takes a second; and to close a large file. Milliseconds. */
const [partMilliseconds, endMilliseconds] = [10_000, 60_000]
/** A process that does not react to the interruption is ended after this CPU time. Milliseconds. */
const endedMilliseconds = 1_000
const memoryMebibytes = memoryBudgets.engineMebibytes
const common = {
  program: new URL('./program.ts', import.meta.url),
  heapMebibytes: 256,
  idleMilliseconds: 60_000,
}

/** Writes table files in the process that is for them. Its methods throw EngineError. */
export interface TableWriter {
  /** Begins to build a table file, which stays open until `end`. */
  begin(file: string, statements: readonly Statement[], isSmall: boolean): Promise<readonly EngineRows[]>
  /** Runs further statements that build it. */
  build(file: string, statements: readonly Statement[]): Promise<readonly EngineRows[]>
  /** Runs the last statements and closes the file. */
  end(file: string, statements?: readonly Statement[]): Promise<readonly EngineRows[]>
}

function writerOf(program: EngineProgram): TableWriter {
  const write = (
    task: Pick<EngineTask, 'file' | 'statements' | 'begins' | 'ends' | 'isSmall'>,
    milliseconds = partMilliseconds,
  ) => rowsOf(program, task.file, { ...task, milliseconds, memoryMebibytes, writes: true })
  return {
    begin: (file, statements, isSmall) => write({ file, statements, begins: true, isSmall }),
    build: (file, statements) => write({ file, statements }),
    end: (file, statements = []) => write({ file, statements, ends: true }, endMilliseconds),
  }
}

/** A question that may take minutes. */
export interface PatientAsk {
  /** CPU time that the engine may use. */
  readonly milliseconds: number
  /** Folder for what a statement cannot keep in memory; it is deleted. */
  readonly scratch: string
  /** Name by which other callers can adopt it. */
  readonly key?: string
}

export type EngineRows = readonly (readonly unknown[])[]

/** Errors of DuckDB on a full disk. */
const fullDisk = /No space left on device|Disk quota exceeded/

/** A statement failed, took too long, or no process can be started. */
export class EngineError extends Error {
  /** `unreadable`: the table file is damaged. */
  readonly kind: 'failed' | 'unreadable' | 'too_costly' | 'unavailable'
  /** Time that the statement was allowed. */
  readonly seconds: number

  constructor(kind: EngineError['kind'], message: string, seconds: number) {
    super(message)
    this.name = 'EngineError'
    this.kind = kind
    this.seconds = seconds
  }
}

/** The reason why this server cannot run the engine; undefined: it can. */
export function engineFault(): string | undefined {
  if (memoryMebibytes === 0) return 'it has less than 768 MiB of memory'
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api')
    return undefined
  } catch {
    return 'its optional package @duckdb/node-api is not installed'
  }
}

export class Engine {
  /** Many builds take turns here, part by part. */
  readonly #builder = programOf({ owner: 64, all: 64 }, { keepsState: true })
  /** For tables that no caller waits for. A process of its own, since closing a large table takes seconds. */
  readonly #ahead = programOf({ owner: 4, all: 4 }, { keepsState: true, niceness: 19 })
  readonly #askers = Array.from({ length: askers }, () => programOf({ owner: 1, all: 1 }))
  readonly #queue = new ProcessQueue({
    places: askers,
    tasksMax: 64,
    isTooCostly: (error) => error instanceof EngineError && error.kind === 'too_costly',
  })
  /** Idle askers, the last used one last. */
  readonly #idle = [...this.#askers]
  /** The asker that last opened a table file. */
  readonly #homes = new LRUCache<string, EngineProgram>({ max: askers * openFilesMax })
  /** Writes table files that callers wait for. */
  readonly writer = writerOf(this.#builder)
  /** Writes table files ahead of questions, with processor time that others leave. */
  readonly aheadWriter = writerOf(this.#ahead)

  /**
   * Runs statements that read a table file and may take minutes, and may write other files.
   * @throws EngineError
   */
  async askPatiently(
    owner: string,
    file: string,
    statements: readonly Statement[],
    { milliseconds, scratch, key }: PatientAsk,
  ): Promise<readonly EngineRows[]> {
    const task = { file, writes: false, statements, scratch, milliseconds, memoryMebibytes }
    try {
      return await this.#ask({ owner, ownMax: 2, isLong: true, ...(key !== undefined && { key }) }, task)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** @param owner takes turns with others. @throws EngineError */
  ask(owner: string, file: string, statements: readonly Statement[]): Promise<readonly EngineRows[]> {
    const task = { file, writes: false, statements, milliseconds: questionMilliseconds, memoryMebibytes }
    return this.#ask({ owner, ownMax: 8 }, task)
  }

  /** Asks about a table that no caller waits for, in the process that builds such tables. @throws EngineError */
  async askAhead(
    file: string,
    statements: readonly Statement[],
    { milliseconds, scratch }: Omit<PatientAsk, 'key'>,
  ): Promise<readonly EngineRows[]> {
    try {
      const task = { file, writes: false, statements, scratch, milliseconds, memoryMebibytes }
      return await rowsOf(this.#ahead, file, task)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Lets another owner wait for what `askPatiently` was asked with this key. */
  adopt(key: string, owner: string): void {
    this.#queue.adopt(key, owner)
  }

  async #ask(by: QueuedTask, task: EngineTask): Promise<readonly EngineRows[]> {
    const { milliseconds } = task
    try {
      return await this.#queue.run(by, async (signal) => {
        const asker = this.#takeIdle(task)
        try {
          return await rowsOf(asker, by.owner, task, signal)
        } finally {
          this.#idle.push(asker)
        }
      })
    } catch (error) {
      if (!(error instanceof QueueError)) throw error
      throw new EngineError('unavailable', error.message, milliseconds / 1_000)
    }
  }

  /** The asker that has the file open, so that it is in one cache; if that one is busy, the one that was used last. */
  #takeIdle({ file, scratch }: EngineTask): EngineProgram {
    const home = this.#homes.get(file)
    const at = home === undefined ? -1 : this.#idle.indexOf(home)
    const [asker] = this.#idle.splice(at, 1) as [EngineProgram]
    // Files of long questions are closed again.
    if (scratch === undefined) this.#homes.set(file, asker)
    return asker
  }

  /** Ends idle askers, which may have files open that were deleted. */
  endIdle(): void {
    for (const asker of this.#idle) asker.close()
  }

  close(): void {
    for (const program of [this.#builder, this.#ahead, ...this.#askers]) program.close()
  }
}

type EngineProgram = Program<EngineTask, EngineReply>

const programOf = (
  tasksMax: { owner: number; all: number },
  more: { keepsState?: boolean; niceness?: number } = {},
): EngineProgram => new Program({ ...common, ...more, tasksMax })

/** @throws EngineError, StorageFullError */
async function rowsOf(
  program: EngineProgram,
  owner: string,
  task: EngineTask,
  signal?: AbortSignal,
): Promise<readonly EngineRows[]> {
  const limits = { cpuMilliseconds: task.milliseconds + endedMilliseconds, ...(signal && { signal }) }
  const result = await program.run(owner, task, limits)
  const failed = (kind: EngineError['kind'], message: string) =>
    new EngineError(kind, message, task.milliseconds / 1_000)
  if (result.kind === 'too_costly') throw failed('too_costly', 'The question takes too long.')
  if (result.kind === 'unavailable') throw failed('unavailable', 'No engine process is free.')
  const { answer } = result
  if (answer.error === undefined) return answer.results
  if (fullDisk.test(answer.error)) throw new StorageFullError(answer.error)
  if (answer.kind === 'lost' || answer.kind === 'waiting') throw failed('unavailable', answer.error)
  const isCostly = /^INTERRUPT|^Out of Memory/.test(answer.error)
  throw failed(isCostly ? 'too_costly' : answer.kind, answer.error)
}
