/** A table of a SQLite file, read by a child process that can be killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { base64Of } from '../reading/base64.ts'
import {
  Batch,
  columnsMax,
  Numeral,
  type Row,
  realOf,
  rowCharactersMax,
  type Table,
} from '../reading/table.ts'
import { errorAt, shown } from '../reading/table-error.ts'
import { charactersIn, type SqliteRows } from './rows.ts'
import type { SqliteAnswer, SqliteColumns, SqliteRequest, TableList } from './sqlite-process.ts'

/** Maximum heap of the reading process, in addition to SQLite's own limit. MiB. */
const heapMax = 512

/** The process that reads one file. It ends on `close`, with this process, or if `signal` is aborted. */
class SqliteReader {
  readonly #file: string
  readonly #child: ChildProcess
  #waiting: { resolve(result: unknown): void; reject(error: Error): void } | undefined
  readonly #kill = () => void this.#child.kill('SIGKILL')
  readonly #signal: AbortSignal | undefined

  constructor(path: string, signal: AbortSignal | undefined) {
    this.#file = basename(path)
    this.#signal = signal
    this.#child = fork(
      fileURLToPath(new URL('./sqlite-process.ts', import.meta.url)),
      [path, String(process.pid)],
      {
        serialization: 'advanced',
        execArgv: [`--max-old-space-size=${heapMax}`, '--disable-warning=ExperimentalWarning'],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    )
    this.#child.on('message', (answer: SqliteAnswer) => {
      if ('error' in answer) this.#settle(this.#fault(answer.error))
      else this.#settle(undefined, answer.result)
    })
    this.#child.on('error', (error) => this.#settle(this.#fault(error.message)))
    this.#child.on('exit', () =>
      this.#settle(this.#fault('the process that reads it ended, perhaps for want of memory')),
    )
    process.on('exit', this.#kill)
    signal?.addEventListener('abort', this.#kill)
  }

  /** Sends one request at a time. */
  async ask<Result>(request: SqliteRequest): Promise<Result> {
    this.#signal?.throwIfAborted()
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#waiting = { resolve: resolve as (result: unknown) => void, reject }
        if (this.#child.connected) this.#child.send(request)
        else reject(this.#fault('it is closed'))
      })
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw error
    }
  }

  #settle(error: Error | undefined, result?: unknown): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(error)
  }

  #fault(reason: string): Error {
    return errorAt(this.#file, `The file cannot be read as SQLite: ${reason}.`)
  }

  close(): void {
    process.off('exit', this.#kill)
    this.#signal?.removeEventListener('abort', this.#kill)
    this.#kill()
  }
}

/** The tables and views of a SQLite file. @throws TableError */
export async function tablesOf(path: string, signal?: AbortSignal): Promise<TableList> {
  const reader = new SqliteReader(path, signal)
  try {
    return await reader.ask<TableList>({ do: 'list' })
  } finally {
    reader.close()
  }
}

/**
 * @param wanted a table or view; undefined: the only table. A view runs a query from the file, so it must be requested explicitly.
 * @throws TableError if there are several tables, or not the wanted one
 */
export async function openSqlite(
  path: string,
  wanted: string | undefined,
  signal?: AbortSignal,
): Promise<Table> {
  const name = basename(path)
  const reader = new SqliteReader(path, signal)
  try {
    const chosen = chosenOf(name, await reader.ask<TableList>({ do: 'list' }), wanted)
    const { columns, key } = await reader.ask<SqliteColumns>({ do: 'columns', table: chosen })
    if (columns.length > columnsMax)
      throw errorAt(name, `There are ${columns.length} columns; at most ${columnsMax} can be read.`)
    return {
      name: `${name}, ${chosen}`,
      format: 'sqlite',
      unit: 'row',
      isText: false,
      columns,
      key: key.length === 0 ? undefined : key,
      detected: { format: 'sqlite' },
      notes: [],
      batches: () => batchesOf(reader, name, chosen, columns),
      close: async () => reader.close(),
    }
  } catch (error) {
    reader.close()
    throw error
  }
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`

function chosenOf(file: string, { tables, views }: TableList, wanted: string | undefined): string {
  if (wanted === undefined && tables.length === 1) return tables[0]!
  if (wanted !== undefined && (tables.includes(wanted) || views.includes(wanted))) return wanted
  const known = [
    tables.length === 0 ? 'There is no table in the file.' : `The tables are: ${listed(tables)}.`,
    views.length === 0 ? '' : `The views, which run queries of the file, are: ${listed(views)}.`,
  ].filter((part) => part !== '')
  const problem =
    wanted === undefined ? 'Choose a table with --table.' : `There is no table ${shown(wanted)}.`
  const isEmpty = tables.length + views.length === 0
  throw errorAt(file, (isEmpty ? known : [problem, ...known]).join(' '))
}

async function* batchesOf(
  reader: SqliteReader,
  file: string,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Row[], void> {
  await reader.ask({ do: 'read', table, columns })
  const batch = new Batch()
  let line = 0
  for (;;) {
    const { rows, isNextTooLong } = await reader.ask<SqliteRows>({ do: 'next' })
    for (const row of rows) {
      line++
      if (batch.add({ line, values: row.map(recordValueOf) }, charactersIn(row))) yield batch.take()
    }
    if (isNextTooLong) {
      const sentence = `The row is longer than ${rowCharactersMax} characters. No record may be that long.`
      throw errorAt(file, sentence, { line: line + 1 }, 'row')
    }
    if (rows.length === 0) break
  }
  const rest = batch.take()
  if (rest.length > 0) yield rest
}

/** NULL is a missing value; a BLOB becomes Base64. */
function recordValueOf(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : new Numeral(String(value))
  // Integers arrive as bigints, so this is REAL.
  if (typeof value === 'number') return Number.isFinite(value) ? realOf(value) : new Numeral(String(value))
  return value instanceof Uint8Array ? base64Of(value) : value
}
