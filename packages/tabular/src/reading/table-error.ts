/** An error about a file and its place in it: the message is a sentence for the person who chose the file. */
import type { Choice } from './options.ts'

export interface Fault {
  /** From 1: a line of CSV, TSV and NDJSON, an item of a JSON list, a row of Parquet and SQLite. */
  readonly line?: number | undefined
  /** The column's name in the file. */
  readonly column?: string | undefined
  /** The value there, cut. */
  readonly value?: string | undefined
  /** The whole id, where an earlier row has it, too. */
  readonly repeatedId?: string | undefined
}

/** The word for one row of a table in sentences. */
export type Unit = 'line' | 'item' | 'row'

export class TableError extends Error {
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: string | undefined
  readonly value: string | undefined
  readonly repeatedId: string | undefined
  /** Ways to read the file after all: open it again with the options of one. */
  readonly choices: readonly Choice[]

  /** @param place the beginning of the message: `cities.csv, line 17` */
  constructor(
    sentence: string,
    place?: string,
    { line, column, value, repeatedId }: Fault = {},
    file?: string,
    choices: readonly Choice[] = [],
  ) {
    super(place === undefined ? sentence : `${place}: ${sentence}`)
    this.name = 'TableError'
    this.file = file
    this.line = line
    this.column = column
    this.value = value
    this.repeatedId = repeatedId
    this.choices = choices
  }
}

/** An error about a file, or about one row of it. */
export const errorAt = (
  file: string,
  sentence: string,
  fault: Fault = {},
  unit: Unit = 'line',
  choices: readonly Choice[] = [],
): TableError =>
  new TableError(
    sentence,
    fault.line === undefined ? file : `${file}, ${unit} ${fault.line}`,
    fault,
    file,
    choices,
  )

/** Characters of a value that a sentence shows. */
const shownMax = 40

/** A value as a text: itself, or as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return String(JSON.stringify(value))
  } catch {
    // It nests so deep that the stack ends.
    return '…'
  }
}

/** A value as sentences show it. */
export function shown(value: unknown): string {
  const text = textOf(value)
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text)
}
