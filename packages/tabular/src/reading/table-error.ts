/** Error about a file and a position in it, with a message for the person who chose the file. */
import type { Choice } from './options.ts'

export interface Fault {
  /** From 1: a line of CSV, TSV and NDJSON, an item of a JSON list, a row of Parquet and SQLite. */
  readonly line?: number | undefined
  /** The column's name in the file. */
  readonly column?: string | undefined
  /** The value at this position, truncated. */
  readonly value?: string | undefined
  /** The whole id, if an earlier row has it as well. */
  readonly repeatedId?: string | undefined
}

/** Word for a row of the table in messages. */
export type Unit = 'line' | 'item' | 'row'

/** A fault of a file, not of the program. Callers show its message to the user. */
export class TableError extends Error {
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: string | undefined
  readonly value: string | undefined
  readonly repeatedId: string | undefined
  /** Alternative ways to read the file: open it again with the options of one. */
  readonly choices: readonly Choice[]

  /** @param place beginning of the message: `cities.csv, line 17` */
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

/** An error about a file, or about one of its rows. */
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

/** Maximum length of a value in a message. Characters. */
const shownMax = 40

/** A value as text: a text unchanged, others as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return String(JSON.stringify(value))
  } catch {
    // Nested too deeply: the stack overflowed.
    return '…'
  }
}

/** A value as shown in messages. */
export function shown(value: unknown): string {
  const text = textOf(value)
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text)
}
