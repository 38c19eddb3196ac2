/** A file as rows of values. */
import type { Detected, Format, Note } from './options.ts'
import type { Unit } from './table-error.ts'

export interface Row {
  /** From 1, counted in the table's `unit`. */
  readonly line: number
  /** In the order of the table's columns; undefined or missing: the row has no value there. */
  readonly values: readonly unknown[]
}

export interface Table {
  /** Of the file, or of the file and the table in it. */
  readonly name: string
  readonly format: Format
  readonly unit: Unit
  /** True if the values of the file are texts, so that a text that looks like a number is one. */
  readonly isText: boolean
  /** Names. Of JSON and NDJSON they are complete when the rows were read once; none is ever moved. */
  readonly columns: readonly string[]
  /** Columns that the file declares as the key of a row, as SQLite does. */
  readonly key?: readonly string[] | undefined
  /** The options that the file is read with, given or detected. */
  readonly detected: Detected
  /** Findings for the reader, the uncertain ones among them: ask about those before anything is published. */
  readonly notes: readonly Note[]
  /** Reads the file anew, some hundred rows at a time. @throws TableError */
  batches(): AsyncIterable<readonly Row[]>
  /** Lets go of the file. Nothing is read after it. */
  close(): Promise<void>
}

/** Columns that a file may have. */
export const columnsMax = 4096
/** Characters of one row, item or line: twice what a record may take in bytes. */
export const rowCharactersMax = 16 * 1024 ** 2
/** Rows that are handed on at once, and the characters of their texts after which no more are waited for. */
export const batchRows = 512
const batchCharacters = 1024 ** 2

/** Rows that wait to be handed on. */
export class Batch {
  #rows: Row[] = []
  #characters = 0

  /** @param characters how much text the row has, about @returns true if the batch is full */
  add(row: Row, characters: number): boolean {
    this.#rows.push(row)
    this.#characters += characters
    return this.#rows.length >= batchRows || this.#characters >= batchCharacters
  }

  /** All rows since the last call. */
  take(): Row[] {
    const rows = this.#rows
    this.#rows = []
    this.#characters = 0
    return rows
  }
}

/** A number that doubles do not hold: an integer beyond 2^53, `1e400`, a decimal of many digits. Its column is of texts. */
export class Numeral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toJSON(): string {
    return this.text
  }
}

/** A whole number that the file has as a double: `21.0` of JSON, REAL of SQLite, DOUBLE of Parquet. Its column is of numbers, not of integers. */
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

/** A double as a value of a row. */
export const realOf = (value: number): number | Real =>
  Number.isSafeInteger(value) ? new Real(value) : value

/** The columns of objects, as they come. */
export class ColumnNames {
  readonly names: string[] = []
  readonly #places = new Map<string, number>()

  /** @returns undefined for one column too many */
  placeOf(name: string): number | undefined {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    if (this.names.length === columnsMax) return undefined
    this.#places.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}
