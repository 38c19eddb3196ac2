/**
 * Program of a process of its own that reads a SQLite file: reading blocks its thread, and a query of the file may never end. The parent
 * kills it. `argv[2]` is the path; each message is a request and gets one answer.
 */
import type { DatabaseSync } from 'node:sqlite'

export interface TableList {
  readonly tables: readonly string[]
  readonly views: readonly string[]
}

export type SqliteRequest =
  | { readonly do: 'list' }
  | { readonly do: 'columns'; readonly table: string }
  /** Begins to read the table anew. */
  | { readonly do: 'read'; readonly table: string; readonly columns: readonly string[] }
  /** The next rows; an empty list at the end. */
  | { readonly do: 'next' }

export type SqliteAnswer = { readonly result: unknown } | { readonly error: string }

export interface SqliteColumns {
  readonly columns: readonly string[]
  /** The declared primary key, in its order. */
  readonly key: readonly string[]
}

/** Values of one row: null, a bigint, a number, a text or bytes. */
export type SqliteRow = readonly unknown[]

/** Rows and characters of one message, about. */
const rowsMax = 512
const charactersMax = 1024 ** 2
/** For all memory of SQLite. Bytes. */
const heapMax = 256 * 1024 ** 2

const tooOld =
  'this Node has no SQLite: versions from 22.13 on have it. Or save the table as CSV: sqlite3 -header -csv FILE "SELECT * FROM TABLE" > table.csv'

let database: DatabaseSync | undefined
let rows: Iterator<Record<string, unknown>> | undefined

/** Nothing in the schema of the file may read other files, change anything or call functions that are not harmless. */
async function open(): Promise<DatabaseSync> {
  const sqlite = await import('node:sqlite').catch(() => undefined)
  // The first versions of Node 22 hold all rows in memory.
  if (sqlite === undefined || !('iterate' in sqlite.StatementSync.prototype)) throw new Error(tooOld)
  const opened = new sqlite.DatabaseSync(process.argv[2]!, { readOnly: true })
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

/** Without the tables in which full-text and other indexes keep their own data. */
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
  // Numbered: no name of a column means anything to JavaScript then.
  const list = request.columns.map((name, place) => `${identifier(name)} AS c${place}`).join(', ')
  const statement = database.prepare(`SELECT ${list} FROM ${identifier(request.table)}`)
  statement.setReadBigInts(true)
  rows = statement.iterate() as Iterator<Record<string, unknown>>
  return undefined
}

function nextRows(): SqliteRow[] {
  const found: SqliteRow[] = []
  let characters = 0
  while (found.length < rowsMax && characters < charactersMax) {
    // Undefined where SQLite fails for want of memory.
    const next = rows!.next() as IteratorResult<Record<string, unknown>> | undefined
    if (next === undefined) throw new Error('a row takes too much memory')
    if (next.done === true) break
    const values = Object.values(next.value)
    for (const value of values)
      if (typeof value === 'string' || value instanceof Uint8Array) characters += value.length
    found.push(values)
  }
  return found
}

process.on('message', (request: SqliteRequest) => {
  answer(request).then(
    (result) => process.send!({ result } satisfies SqliteAnswer),
    (error: Error) => process.send!({ error: error.message } satisfies SqliteAnswer),
  )
})
// The parent ended.
process.on('disconnect', () => process.exit())
