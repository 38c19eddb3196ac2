/** Child process that reads a SQLite file: reading blocks its thread, and a query in the file may never end. */
import type { DatabaseSync } from 'node:sqlite'
import { rowCharactersMax } from '../reading/table.ts'
import { answerParent, chosenPath } from './answer-parent.ts'
import { charactersIn, rowBytesMax, type SqliteRow, type SqliteRows } from './sqlite-rows.ts'

export interface TableList {
  readonly tables: readonly string[]
  readonly views: readonly string[]
}

/** Message of the parent. The parent sends one at a time. */
export type SqliteRequest =
  | { readonly do: 'list' }
  | { readonly do: 'columns'; readonly table: string }
  /** Starts reading the table from the first row. */
  | { readonly do: 'read'; readonly table: string; readonly columns: readonly string[] }
  /** The next `SqliteRows`. */
  | { readonly do: 'next' }

export interface SqliteColumns {
  readonly columns: readonly string[]
  /** The declared primary key, in key order. */
  readonly key: readonly string[]
}

/** Maximum of rows in one message. */
const rowsMax = 512
/** A message is sent once it has this many characters. */
const charactersMax = 1024 ** 2
/** Maximum of SQLite's memory. Bytes. */
const heapMax = 256 * 1024 ** 2

const tooOld =
  'this Node has no SQLite: versions from 22.13 on have it. Or save the table as CSV: sqlite3 -header -csv FILE "SELECT * FROM TABLE" > table.csv'

let database: DatabaseSync | undefined
let rows: Iterator<Record<string, unknown>> | undefined

/** Opens the file such that its schema cannot read other files, change anything or call unsafe functions. */
async function open(): Promise<DatabaseSync> {
  const sqlite = await import('node:sqlite').catch(() => undefined)
  // The first versions of Node 22 keep all rows in memory.
  if (sqlite === undefined || !('iterate' in sqlite.StatementSync.prototype)) throw new Error(tooOld)
  // Node 24.15 and newer enforce the limit; older versions ignore it.
  const opened = new sqlite.DatabaseSync(chosenPath, { readOnly: true, limits: { length: rowBytesMax } })
  opened.exec(
    `PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA hard_heap_limit = ${heapMax};`,
  )
  opened.prepare('SELECT count(*) FROM sqlite_schema').get()
  return opened
}

const textsOf = (found: DatabaseSync, sql: string, ...values: string[]): string[] =>
  found
    .prepare(sql)
    .all(...values)
    .map(({ name }) => String(name))

/** Lists tables, without those in which full-text and other indexes store their own data. */
const listOf = (types: string): string =>
  `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN (${types}) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

async function answer(request: SqliteRequest): Promise<unknown> {
  database ??= await open()
  if (request.do === 'list')
    return {
      tables: textsOf(database, listOf("'table', 'virtual'")),
      views: textsOf(database, listOf("'view'")),
    }
  if (request.do === 'columns') {
    const { table } = request
    const from = 'SELECT name FROM pragma_table_xinfo(?) WHERE'
    const columns = textsOf(database, `${from} hidden <> 1`, table)
    return { columns, key: textsOf(database, `${from} pk > 0 ORDER BY pk`, table) }
  }
  if (request.do === 'next') return nextRows()
  // Numbered aliases, because a column's name may be special in JavaScript.
  const list = request.columns.map((name, place) => `${identifier(name)} AS c${place}`).join(', ')
  const statement = database.prepare(`SELECT ${list} FROM ${identifier(request.table)}`)
  statement.setReadBigInts(true)
  rows = statement.iterate() as Iterator<Record<string, unknown>>
  return undefined
}

/** A row that is too long is not sent, because the channel would take many seconds for it. */
function nextRows(): SqliteRows {
  const found: SqliteRow[] = []
  let characters = 0
  while (found.length < rowsMax && characters < charactersMax) {
    const row = nextRow()
    if (row === undefined) break
    const length = row === 'too long' ? Number.POSITIVE_INFINITY : charactersIn(row)
    if (row === 'too long' || length > rowCharactersMax) return { rows: found, isNextTooLong: true }
    characters += length
    found.push(row)
  }
  return { rows: found, isNextTooLong: false }
}

/** https://www.sqlite.org/rescode.html#toobig */
const tooBig = 18

/** Returns undefined at the end. */
function nextRow(): SqliteRow | 'too long' | undefined {
  try {
    // SQLite returns undefined if it runs out of memory.
    const next = rows!.next() as IteratorResult<Record<string, unknown>> | undefined
    if (next === undefined) throw new Error('a row takes too much memory')
    return next.done === true ? undefined : Object.values(next.value)
  } catch (error) {
    if ((error as { errcode?: number }).errcode === tooBig) return 'too long'
    throw error
  }
}

answerParent<SqliteRequest>(answer)
