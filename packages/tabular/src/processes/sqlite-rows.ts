/** Rows of a SQLite table, in the form that the reading process sends. */
import { rowCharactersMax } from '../reading/table.ts'

/** Values of one row: null, a bigint, a number, a text or bytes. */
export type SqliteRow = readonly unknown[]

export interface SqliteRows {
  /** Empty at the end of the table. */
  readonly rows: readonly SqliteRow[]
  /** True if the row after `rows` is longer than any record may be; neither it nor any later row is sent. */
  readonly isNextTooLong: boolean
}

/** Characters of a row's texts, and of its bytes in Base64. */
export const charactersIn = (row: SqliteRow): number =>
  row.reduce((sum: number, value) => sum + charactersOf(value), 0)

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? Math.ceil(value.length / 3) * 4 : 0
}

/** SQLite's own limit for a row and for a value: UTF-8 takes at most three bytes for a character of `rowCharactersMax`. */
export const rowBytesMax = 4 * rowCharactersMax
