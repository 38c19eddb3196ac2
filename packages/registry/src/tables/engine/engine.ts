/** Engine processes of a server: one that builds table files, two that answer questions about them, one for what takes longer. */
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { StorageFull } from '@ulmus/storage'
import { memoryBudgets } from '../../memory.ts'
import { Program } from '../../work/program.ts'
import type { EngineReply, EngineTask } from './engine-task.ts'
import type { Statement } from './query-sql.ts'

/** Processes that answer. A table file is opened by one of them, so that it is in one cache. */
const askers = 2
/** A question is interrupted after this time; the process is ended a second later. Milliseconds. */
const questionMilliseconds = 5_000
/** Time for a part of the records, a CSV or Parquet file, or the statistics of a column of a large table. Milliseconds. */
const writeMilliseconds = 120_000
const memoryMebibytes = memoryBudgets.engineMebibytes
const common = {
  program: new URL('./program.ts', import.meta.url),
  heapMebibytes: 256,
  idleMilliseconds: 60_000,
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
  readonly #builder = programOf({ owner: 64, all: 64 }, writeMilliseconds, { keepsState: true })
  readonly #patient = programOf({ owner: 2, all: 16 }, writeMilliseconds)
  readonly #askers = Array.from({ length: askers }, () =>
    programOf({ owner: 8, all: 64 }, questionMilliseconds),
  )

  /** Begins to build a table file, which stays open until `end`. @throws EngineError */
  begin(file: string, statements: readonly Statement[]): Promise<readonly EngineRows[]> {
    return this.#write({ file, statements, begins: true })
  }

  /** Runs further statements that build it. @throws EngineError */
  build(file: string, statements: readonly Statement[]): Promise<readonly EngineRows[]> {
    return this.#write({ file, statements })
  }

  /** Runs the last statements and closes the file. @throws EngineError */
  end(file: string, statements: readonly Statement[] = []): Promise<readonly EngineRows[]> {
    return this.#write({ file, statements, ends: true })
  }

  #write(task: Pick<EngineTask, 'file' | 'statements' | 'begins' | 'ends'>): Promise<readonly EngineRows[]> {
    const limits = { milliseconds: writeMilliseconds, memoryMebibytes }
    return rowsOf(this.#builder, task.file, { ...task, ...limits, writes: true })
  }

  /**
   * Runs statements that read a table file and may take minutes, and may write other files.
   * @param limits `scratch`: folder for what a statement cannot keep in memory; it is deleted. `milliseconds`: see `deadlineOf`
   * @throws EngineError
   */
  async askPatiently(
    owner: string,
    file: string,
    statements: readonly Statement[],
    limits: { readonly scratch: string; readonly milliseconds: number },
  ): Promise<readonly EngineRows[]> {
    const { scratch } = limits
    try {
      return await rowsOf(this.#patient, owner, {
        file,
        writes: false,
        statements,
        memoryMebibytes,
        ...limits,
      })
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** @param owner takes turns with others. @throws EngineError */
  ask(owner: string, file: string, statements: readonly Statement[]): Promise<readonly EngineRows[]> {
    const task = { file, writes: false, statements, milliseconds: questionMilliseconds, memoryMebibytes }
    const asker = this.#askers[[...file].reduce((sum, char) => sum + char.charCodeAt(0), 0) % askers]!
    return rowsOf(asker, owner, task)
  }

  close(): void {
    for (const program of [this.#builder, this.#patient, ...this.#askers]) program.close()
  }
}

type EngineProgram = Program<EngineTask, EngineReply>

const programOf = (
  tasksMax: { owner: number; all: number },
  milliseconds: number,
  more: { keepsState?: boolean } = {},
): EngineProgram =>
  new Program({
    ...common,
    ...more,
    tasksMax,
    deadlineMilliseconds: milliseconds + 1_000,
  })

/** @throws EngineError, StorageFull */
async function rowsOf(
  program: EngineProgram,
  owner: string,
  task: EngineTask,
): Promise<readonly EngineRows[]> {
  const result = await program.run(owner, task)
  const failed = (kind: EngineError['kind'], message: string) =>
    new EngineError(kind, message, task.milliseconds / 1_000)
  if (result.kind === 'too_costly') throw failed('too_costly', 'The question takes too long.')
  if (result.kind === 'unavailable') throw failed('unavailable', 'No engine process is free.')
  const { answer } = result
  if (answer.error === undefined) return answer.results
  if (fullDisk.test(answer.error)) throw new StorageFull(answer.error)
  const isCostly = /^INTERRUPT|^Out of Memory/.test(answer.error)
  throw failed(isCostly ? 'too_costly' : answer.kind === 'lost' ? 'unavailable' : answer.kind, answer.error)
}
