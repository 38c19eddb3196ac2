/**
 * Processes that run SQL of callers. Each is started for one caller and the tables of one question, kept for further questions of the
 * caller about them, and ended after an error, many questions or much memory. docs/decisions/tables.md#sql-of-callers
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryBudgets } from '../../memory.ts'
import { cpuOf, limitCpu } from '../../work/cpu-limit.ts'
import { ProcessQueue, QueueError } from '../../work/process-queue.ts'
import { openWithoutNames } from './open-tables.ts'
import type { SqlNamesTask, SqlReply, SqlTables, SqlTask } from './sql-task.ts'

/** Processes at a time. */
const processesMax = 2
/** Waiting and running questions of an anonymous address, of an account, and of all. */
const questionsMax = { address: 1, account: 4, all: 32 }
/** Life of a process. */
const questionsEach = 100
const residentMebibytesKept = 300
const idleMilliseconds = 60_000
/** Limits while a question runs. The data segment bounds most allocations, the polled resident memory the rest. MiB. */
const dataMebibytes = 1_280
const residentMebibytesMax = 1_000
const pollMilliseconds = 100
/** A process that does not react to the interruption is killed after this CPU time. Milliseconds. */
const killMilliseconds = 1_000
/** CPU time to start one. */
const startMilliseconds = 8_000
/** CPU time to find the names in a statement, which takes some milliseconds. */
const namesMilliseconds = 2_000

/** A table that a question may read. */
export interface SqlTable {
  readonly path: string
  /** Name of its view, unique whatever the case. */
  readonly name: string
  readonly columns: readonly string[]
}

export class SqlError extends Error {
  /** `crashed`: the process ended by itself. `unavailable`: none could be started. `busy`: too many questions. */
  readonly kind: 'invalid' | 'interrupted' | 'memory' | 'crashed' | 'busy' | 'unavailable'

  constructor(kind: SqlError['kind'], message: string) {
    super(message)
    this.name = 'SqlError'
    this.kind = kind
  }
}

export interface SqlResult {
  /** The answer in its format, in parts. */
  readonly pieces: readonly string[]
  readonly end: Extract<SqlReply, { kind: 'end' }>
}

interface Asker {
  readonly owner: string
  readonly isAnonymous: boolean
}

/** @param scratch a new path on the disk of the table files */
export class SqlProcesses {
  readonly #scratch: () => Promise<string>
  readonly #queue = new ProcessQueue({
    places: processesMax,
    tasksMax: questionsMax.all,
    isTooCostly: (error) => error instanceof SqlError && ['interrupted', 'memory'].includes(error.kind),
  })
  /** Idle processes, least recently used first. */
  #idle: SqlProcess[] = []
  readonly #running = new Set<SqlProcess>()

  constructor(scratch: () => Promise<string>) {
    this.#scratch = scratch
  }

  /** Runs a statement on tables. @throws SqlError */
  ask(asker: Asker, tables: readonly SqlTable[], task: SqlTask): Promise<SqlResult> {
    return this.#inProcess(asker, tables, (one) => one.ask(task))
  }

  /** Names of the tables that a statement reads, by DuckDB's parser. @throws SqlError */
  namesIn(asker: Asker, sql: string): Promise<readonly string[]> {
    return this.#inProcess(asker, [], (one) => one.namesIn(sql))
  }

  async #inProcess<T>(
    asker: Asker,
    tables: readonly SqlTable[],
    work: (one: SqlProcess) => Promise<T>,
  ): Promise<T> {
    const ownMax = asker.isAnonymous ? questionsMax.address : questionsMax.account
    try {
      return await this.#queue.run({ owner: asker.owner, ownMax }, (signal) =>
        this.#askNow(asker.owner, tables, signal, work),
      )
    } catch (error) {
      throw error instanceof QueueError ? new SqlError('busy', error.message) : error
    }
  }

  /** Ends idle processes, which may have files open that were deleted. */
  endIdle(): void {
    for (const one of this.#idle.splice(0)) one.end()
  }

  close(): void {
    for (const one of [...this.#idle, ...this.#running]) one.end()
  }

  async #askNow<T>(
    owner: string,
    tables: readonly SqlTable[],
    signal: AbortSignal,
    work: (one: SqlProcess) => Promise<T>,
  ): Promise<T> {
    // Statements can change a process for later ones: `FROM enable_logging()` lists their texts in `duckdb_logs()`.
    const key = JSON.stringify([owner, tables])
    const found = this.#idle.find((one) => one.key === key && one.isAlive)
    this.#idle = this.#idle.filter((one) => one !== found && one.isAlive)
    while (found === undefined && this.#idle.length >= processesMax) this.#idle.shift()!.end()
    const one = found ?? (await SqlProcess.start(key, tables, await this.#scratch()))
    this.#running.add(one)
    const end = () => one.end()
    signal.addEventListener('abort', end)
    try {
      signal.throwIfAborted()
      const result = await work(one)
      if (one.isReusable) this.#idle.push(one)
      else one.end()
      return result
    } catch (error) {
      // Nothing ran: the next attempt need not wait for a new process.
      if (one.isReusable && error instanceof SqlError && isUnread(error)) this.#idle.push(one)
      else one.end()
      throw error
    } finally {
      signal.removeEventListener('abort', end)
      this.#running.delete(one)
    }
  }
}

/** True for a statement that DuckDB refused before it ran. */
const isUnread = ({ kind, message }: SqlError): boolean =>
  kind === 'invalid' && /^(Failed to extract statements: )?(Parser|Binder|Catalog) Error/.test(message)

class SqlProcess {
  readonly key: string
  readonly #child: ChildProcess
  #questions = 0
  #idle: NodeJS.Timeout | undefined

  private constructor(key: string, child: ChildProcess) {
    this.key = key
    this.#child = child
  }

  /** @param link new path for the files that are opened, which is gone when it resolves. @throws SqlError unavailable */
  static async start(key: string, tables: readonly SqlTable[], link: string): Promise<SqlProcess> {
    const files = await openWithoutNames(tables, link).catch((error: Error) => {
      throw new SqlError('unavailable', `a table file cannot be opened (${error.message})`)
    })
    try {
      const child = spawnProgram(files.map(({ fd }) => fd))
      const started = new SqlProcess(key, child)
      const first = started.#reply(startMilliseconds)
      const message: SqlTables = {
        memoryMebibytes: memoryBudgets.engineMebibytes,
        // Only Linux opens a file again by its descriptor.
        answerFile: process.platform === 'linux' ? answerFile : undefined,
        tables: tables.map(({ path, name, columns }, index) => ({
          // Opened again through its descriptor, which shows no name and needs no right to the folder.
          file: process.platform === 'linux' ? `/proc/self/fd/${firstFile + index}` : path,
          name,
          columns,
        })),
      }
      child.send(message, () => undefined)
      await first.catch((error: Error) => {
        started.end()
        throw new SqlError('unavailable', `its process does not start (${error.message})`)
      })
      return started
    } finally {
      await Promise.all(files.map((file) => file.close()))
    }
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get isReusable(): boolean {
    return (
      this.isAlive && this.#questions < questionsEach && this.#residentMebibytes() < residentMebibytesKept
    )
  }

  /** @throws SqlError */
  async namesIn(sql: string): Promise<readonly string[]> {
    const task: SqlNamesTask = { namesIn: sql }
    this.#questions++
    const replied = this.#reply(namesMilliseconds)
    this.#child.send(task, () => undefined)
    const reply = await replied
    if (reply.kind === 'names') return reply.names
    throw new SqlError('crashed', 'The process sent an unexpected answer.')
  }

  /** @throws SqlError */
  async ask(task: SqlTask): Promise<SqlResult> {
    clearTimeout(this.#idle)
    this.#questions++
    let isTooLarge = false
    const poll = setInterval(() => {
      if (this.#residentMebibytes() < residentMebibytesMax) return
      isTooLarge = true
      this.end()
    }, pollMilliseconds)
    const pieces: string[] = []
    try {
      const replied = this.#reply(task.milliseconds + killMilliseconds, pieces)
      this.#child.send(task, () => undefined)
      const reply = await replied
      if (reply.kind === 'refused') throw new SqlError(reply.reason, reply.message)
      if (reply.kind === 'end') return { pieces, end: reply }
      throw new SqlError('crashed', 'The process sent an unexpected answer.')
    } catch (error) {
      throw isTooLarge ? new SqlError('memory', 'The process takes too much memory.') : error
    } finally {
      clearInterval(poll)
      this.#idle = setTimeout(() => this.end(), idleMilliseconds).unref()
    }
  }

  end(): void {
    clearTimeout(this.#idle)
    this.#child.kill('SIGKILL')
  }

  /** The next message that is not a piece. Pieces go into `pieces`. @param milliseconds of CPU. @throws SqlError interrupted, busy, crashed */
  #reply(milliseconds: number, pieces: string[] = []): Promise<SqlReply> {
    const child = this.#child
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void) => {
        endLimit()
        child.off('message', hear).off('exit', exit).off('error', fail)
        settled()
      }
      const hear = (reply: SqlReply) => {
        if (reply.kind === 'piece') pieces.push(reply.text)
        else settle(() => resolve(reply))
      }
      const exit = (code: number | null, signal: string | null) =>
        settle(() => reject(new SqlError('crashed', `it ended with ${signal ?? `code ${code}`}`)))
      const fail = (error: Error) => settle(() => reject(new SqlError('crashed', error.message)))
      const used = () => cpuOf(child.pid)
      const late = (isCostly: boolean) => {
        this.end()
        settle(() => reject(new SqlError(isCostly ? 'interrupted' : 'busy', 'it did not react')))
      }
      const endLimit = limitCpu(milliseconds, used, late, { maySleep: true })
      child.on('message', hear).on('exit', exit).on('error', fail)
    })
  }

  /** Resident memory; 0 where it cannot be read. */
  #residentMebibytes(): number {
    try {
      const [, resident] = readFileSync(`/proc/${this.#child.pid}/statm`, 'utf8').split(' ')
      return (Number(resident) * 4_096) / 1_024 ** 2
    } catch {
      return 0
    }
  }
}

/** Numbers of descriptors in the process, after the three standard ones and the channel: of the answer in Parquet, and of the first table. */
const answerFile = 4
const firstFile = 5

function spawnProgram(files: readonly number[]): ChildProcess {
  const program = fileURLToPath(new URL('./program.ts', import.meta.url))
  const node = ['--max-old-space-size=256', '--max-semi-space-size=8', program]
  const limit = process.platform === 'linux' ? `ulimit -d ${dataMebibytes * 1_024}; ` : ''
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...node], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...files],
  })
  child.on('error', () => undefined)
  child.unref()
  child.channel?.unref()
  return child
}
