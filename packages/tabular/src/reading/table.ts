/** A file as rows of values, whatever its format: the interface between the readers and everything else, and the limits of all readers. */
import type { Detected, Format, Note, ReadOptions } from './options.ts'
import type { Unit } from './table-error.ts'

export interface Row {
  /** From 1, counted in the table's `unit`. */
  readonly line: number
  /** In the order of the table's columns; undefined or absent if the row has no value there. */
  readonly values: readonly unknown[]
}

/** A value that was removed from a column, because it means missing. */
export interface RemovedMark {
  readonly column: string
  readonly mark: string
  readonly count: number
  /** Line of the first. */
  readonly line: number
}

/** An open file. Every reader returns this. */
export interface Table {
  /** Name of the file, or of the file and the table in it. */
  readonly name: string
  readonly format: Format
  readonly unit: Unit
  /** True if all values in the file are texts, so that a text that looks like a number is one. */
  readonly isText: boolean
  /** Column names. For JSON and NDJSON they are complete after one read of all rows; positions never change. */
  readonly columns: readonly string[]
  /** Columns that the file declares as the key of a row, as SQLite does. */
  readonly key?: readonly string[] | undefined
  /** The options that the file is read with, given or detected. */
  readonly detected: Detected
  /** The options that were given. */
  readonly options?: ReadOptions | undefined
  /** Findings for the user; ask about the uncertain ones before anything is published. */
  readonly notes: readonly Note[]
  /** Rows that the last reading passed over, because the options say so. */
  passedOver?(): { readonly units: Row | undefined; readonly footer: readonly Row[] }
  /** Values that the last reading removed, because they mean missing. */
  removed?(): readonly RemovedMark[]
  /** Reads the file from the start, some hundred rows at a time. @throws TableError */
  batches(): AsyncIterable<readonly Row[]>
  /** Closes the file. Nothing can be read afterwards. */
  close(): Promise<void>
}

/** Maximum number of columns. */
export const columnsMax = 4096
/** Maximum of characters in one row, item or line: twice the byte limit of a record. */
export const rowCharactersMax = 16 * 1024 ** 2
/** Maximum of rows in a batch. */
export const batchRows = 512
/** A batch is passed on once it has this many characters. */
const batchCharacters = 1024 ** 2

/** Rows collected for the next batch. */
export class Batch {
  #rows: Row[] = []
  #characters = 0

  /** @param characters approximate text size of the row @returns true if the batch is full */
  add(row: Row, characters: number): boolean {
    this.#rows.push(row)
    this.#characters += characters
    return this.#rows.length >= batchRows || this.#characters >= batchCharacters
  }

  /** Returns all rows added since the last call. */
  take(): Row[] {
    const rows = this.#rows
    this.#rows = []
    this.#characters = 0
    return rows
  }
}

/** A number that a double cannot represent: an integer beyond 2^53, `1e400`, a decimal with many digits. Its column is one of texts. */
export class Numeral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): string {
    return this.text
  }
}

/** A whole number stored as a double: `21.0` in JSON, REAL in SQLite, DOUBLE in Parquet. Its column is one of numbers, not integers. */
export class Real {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
  toString(): string {
    return String(this.value)
  }
  toJSON(): number {
    return this.value
  }
}

/** Value of a row for a double. */
export const realOf = (value: number): number | Real =>
  Number.isSafeInteger(value) ? new Real(value) : value

/** Columns of objects, in the order of their appearance. */
export class ColumnNames {
  readonly names: string[] = []
  readonly #places = new Map<string, number>()

  /** @returns undefined if there would be too many columns */
  placeOf(name: string): number | undefined {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    if (this.names.length === columnsMax) return undefined
    this.#places.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}
