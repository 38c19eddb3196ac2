/** What is wrong with a file, and where: the message is a sentence for whoever chose the file. */
export interface Fault {
  /** From 1: a line of CSV, TSV and NDJSON, an item of a JSON list, a row of Parquet and SQLite. */
  readonly line?: number | undefined
  /** The column's name in the file. */
  readonly column?: string | undefined
  /** What stands there, cut. */
  readonly value?: string | undefined
}

/** What one row of a table is called in sentences. */
export type Unit = 'line' | 'item' | 'row'

export class TableError extends Error {
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: string | undefined
  readonly value: string | undefined

  /** @param place what the sentence begins with: `cities.csv, line 17` */
  constructor(sentence: string, place?: string, { line, column, value }: Fault = {}, file?: string) {
    super(place === undefined ? sentence : `${place}: ${sentence}`)
    this.name = 'TableError'
    this.file = file
    this.line = line
    this.column = column
    this.value = value
  }
}

/** An error about a file, or about one row of it. */
export const errorAt = (file: string, sentence: string, fault: Fault = {}, unit: Unit = 'line'): TableError =>
  new TableError(sentence, fault.line === undefined ? file : `${file}, ${unit} ${fault.line}`, fault, file)

/** Characters of a value that a sentence shows. */
const shownMax = 40

/** A value as sentences show it. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : String(JSON.stringify(value))
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text)
}
