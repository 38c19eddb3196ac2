/** A table or view of a SQLite file. */
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
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

const tooOld =
  'This Node has no SQLite: versions from 22.13 on have it. Or save the table as CSV: sqlite3 -header -csv FILE "SELECT * FROM TABLE" > table.csv'

async function openDatabase(path: string): Promise<DatabaseSync> {
  const sqlite = await sqliteOfNode()
  if (sqlite === undefined) throw errorAt(basename(path), tooOld)
  const database = new sqlite.DatabaseSync(path, { readOnly: true })
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
  } catch (error) {
    database.close()
    throw errorAt(basename(path), `The file cannot be read as SQLite: ${(error as Error).message}.`)
  }
  return database
}

/** Node 20 has none, the first of Node 22 one that holds all rows in memory. */
async function sqliteOfNode(): Promise<typeof import('node:sqlite') | undefined> {
  try {
    const sqlite = await import('node:sqlite')
    return 'iterate' in sqlite.StatementSync.prototype ? sqlite : undefined
  } catch {
    return undefined
  }
}

const list = `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

const namesIn = (database: DatabaseSync): string[] =>
  database
    .prepare(list)
    .all()
    .map(({ name }) => String(name))

/** The tables and views of a SQLite file. @throws TableError */
export async function tablesOf(path: string): Promise<string[]> {
  const database = await openDatabase(path)
  try {
    return namesIn(database)
  } finally {
    database.close()
  }
}

/** @param wanted undefined: the only one @throws TableError when there are several, or not that one */
export async function openSqlite(path: string, wanted: string | undefined): Promise<Table> {
  const database = await openDatabase(path)
  const name = basename(path)
  try {
    const chosen = chosenOf(name, namesIn(database), wanted)
    const columns = columnsOf(database, chosen)
    if (columns.length > columnsMax)
      throw errorAt(name, `There are ${columns.length} columns; at most ${columnsMax} can be read.`)
    return {
      name: `${name}, ${chosen}`,
      format: 'sqlite',
      unit: 'row',
      isText: false,
      columns,
      detected: { format: 'sqlite' },
      notes: [],
      key: keyOf(database, chosen),
      batches: () => batchesOf(database, name, chosen, columns),
      close: async () => database.close(),
    }
  } catch (error) {
    database.close()
    if (error instanceof Error && error.name !== 'TableError')
      throw errorAt(name, `The table cannot be read: ${error.message}.`)
    throw error
  }
}

function chosenOf(file: string, names: readonly string[], wanted: string | undefined): string {
  if (names.length === 0) throw errorAt(file, 'There is no table in the file.')
  if (wanted === undefined && names.length === 1) return names[0]!
  if (wanted !== undefined && names.includes(wanted)) return wanted
  const known = `The tables are: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`
  throw errorAt(
    file,
    wanted === undefined
      ? `Say which table to read. ${known}`
      : `There is no table ${shown(wanted)}. ${known}`,
  )
}

const columnsOf = (database: DatabaseSync, table: string): string[] =>
  database
    .prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1')
    .all(table)
    .map(({ name }) => String(name))

/** The declared primary key, in its order; undefined: there is none. */
function keyOf(database: DatabaseSync, table: string): string[] | undefined {
  const names = database.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk').all(table)
  return names.length === 0 ? undefined : names.map(({ name }) => String(name))
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

async function* batchesOf(
  database: DatabaseSync,
  file: string,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Row[], void> {
  // Numbered: no name of a column means anything to JavaScript then.
  const names = columns.map((_, place) => `c${place}`)
  const list = columns.map((name, place) => `${identifier(name)} AS ${names[place]}`).join(', ')
  const statement = database.prepare(`SELECT ${list} FROM ${identifier(table)}`)
  statement.setReadBigInts(true)
  const batch = new Batch()
  let line = 0
  for (const row of statement.iterate()) {
    line++
    const characters = names.reduce((sum, name) => sum + charactersOf(row[name]), 0)
    if (characters > rowCharactersMax) {
      const sentence = `The row is longer than ${rowCharactersMax} characters. No record may be that long.`
      throw errorAt(file, sentence, { line }, 'row')
    }
    const values = names.map((name) => recordValueOf(row[name]))
    if (batch.add({ line, values }, characters)) yield batch.take()
  }
  const rest = batch.take()
  if (rest.length > 0) yield rest
}

/** Of its text, or of its bytes as Base64. */
const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? Math.ceil(value.length / 3) * 4 : 0
}

/** NULL is no value, a BLOB is Base64. */
function recordValueOf(value: unknown): unknown {
  if (value === null) return undefined
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : new Numeral(String(value))
  // Integers come as bigints: this is REAL.
  if (typeof value === 'number') return Number.isFinite(value) ? realOf(value) : new Numeral(String(value))
  return value instanceof Uint8Array ? base64Of(value) : value
}
