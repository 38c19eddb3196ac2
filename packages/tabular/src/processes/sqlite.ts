/** A table of a SQLite file, read by a child process that can be killed. */
import { basename } from 'node:path'
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
import { ReadingProcess } from './reading-process.ts'
import type { SqliteColumns, SqliteRequest, TableList } from './sqlite-process.ts'
import { charactersIn, type SqliteRows } from './sqlite-rows.ts'

type SqliteReader = ReadingProcess<SqliteRequest>

const readerOf = (path: string, signal: AbortSignal | undefined): SqliteReader =>
  new ReadingProcess({
    program: new URL('./sqlite-process.ts', import.meta.url),
    ...{ path, file: basename(path), problem: 'The file cannot be read as SQLite', signal },
  })

/** The tables and views of a SQLite file. @throws TableError */
export async function tablesOf(path: string, signal?: AbortSignal): Promise<TableList> {
  const reader = readerOf(path, signal)
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
  const reader = readerOf(path, signal)
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
