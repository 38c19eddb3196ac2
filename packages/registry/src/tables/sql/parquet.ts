/** Answers as Parquet, in a process that runs SQL. DuckDB writes into the one file that it may write, which has no name. */
import { fstatSync, ftruncateSync, readSync } from 'node:fs'
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBTypeId } from '@duckdb/node-api'
import { literal, quoted } from '../engine/column-sql.ts'
import { withoutComments } from './statement.ts'

/** Bytes of the file that a piece of base64 has: a multiple of three. */
const pieceBytes = 196_608
const answer = 'temp.main.answer'

/** The only path that statements may write and read, since `enable_external_access` is off: for Parquet, and empty at any other time. */
export const pathOf = (descriptor: number): string => `/proc/self/fd/${descriptor}`

export interface ParquetAnswer {
  /** A single SELECT without parameters, which DuckDB has prepared. */
  readonly sql: string
  /** Of its columns, all different. */
  readonly names: readonly string[]
  readonly types: readonly DuckDBTypeId[]
  /** Rows of the answer. */
  readonly chunks: readonly DuckDBDataChunk[]
}

/** Writes the rows to the file. @throws errors of DuckDB */
export async function writeParquet(
  connection: DuckDBConnection,
  { sql, names, types, chunks }: ParquetAnswer,
  descriptor: number,
): Promise<void> {
  const columns = names.map((_, index) => `c${index}`)
  try {
    // For the types of its columns: nothing is read. The statement was prepared, so that it has no bracket too many.
    const statement = withoutComments(sql).replace(/[\s;]+$/, '')
    await connection.run(`CREATE TEMP TABLE answer(${columns}) AS FROM (${statement}) LIMIT 0`)
    const appender = await connection.createAppender('answer', 'main', 'temp')
    for (const chunk of chunks) appender.appendDataChunk(chunk)
    appender.closeSync()
    const selected: string[] = []
    for (const [index, column] of columns.entries()) {
      const value = isHuge(types[index]!) ? await exactly(connection, column) : column
      selected.push(`${value} AS ${quoted(names[index]!)}`)
    }
    await connection.run(
      `COPY (SELECT ${selected} FROM ${answer}) TO ${literal(pathOf(descriptor))} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
    )
  } finally {
    // A type of the same name is no table of a later statement.
    await connection.run(`DROP TABLE IF EXISTS ${answer}`)
  }
}

const isHuge = (type: DuckDBTypeId): boolean =>
  type === DuckDBTypeId.HUGEINT || type === DuckDBTypeId.UHUGEINT

/** Sums of integers, which DuckDB would write as doubles: integers where all of them are, else texts, as in JSON. */
async function exactly(connection: DuckDBConnection, column: string): Promise<string> {
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FROM ${answer} WHERE ${column} IS NOT NULL AND TRY_CAST(${column} AS BIGINT) IS NULL`,
  )
  return `CAST(${column} AS ${reader.getRows()[0]![0] === 0n ? 'BIGINT' : 'VARCHAR'})`
}

/** Bytes of the file. */
export const sizeOf = (descriptor: number): number => fstatSync(descriptor).size

/** The file in base64, in parts that can be joined. Empties it. */
export function* readParquet(descriptor: number): Generator<string> {
  const size = sizeOf(descriptor)
  const buffer = Buffer.alloc(pieceBytes)
  for (let at = 0; at < size; ) {
    const length = readSync(descriptor, buffer, 0, Math.min(pieceBytes, size - at), at)
    yield buffer.toString('base64', 0, length)
    at += length
  }
  ftruncateSync(descriptor)
}
