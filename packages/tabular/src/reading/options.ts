/** Options for reading a file as a table, and the report of the ones that were detected. */
export const formats = ['csv', 'tsv', 'json', 'ndjson', 'parquet', 'sqlite'] as const
export type Format = (typeof formats)[number]

/** `doubled`: `""` inside quotes. `backslash`: `\"`. `spaced`: spaces around values do not count. `none`: a quote is a character. */
export type Quotes = 'doubled' | 'backslash' | 'spaced' | 'none'

/**
 * Every option may be left out: it is detected then, and `table.detected` has the value in use. To change one, open the file again with
 * `openTable(source, { ...options, ...choice.options })`.
 */
export interface ReadOptions {
  readonly format?: Format | undefined
  /** Of text files: any label of `TextDecoder`, such as `utf-8`, `utf-16le` or `windows-1252`. */
  readonly encoding?: string | undefined
  /** Of CSV and TSV: the one character between values. */
  readonly delimiter?: string | undefined
  /** Of CSV and TSV. */
  readonly quotes?: Quotes | undefined
  /** Of CSV, TSV and JSON rows that are lists: false if the first row is data. Its columns are called `column_1`, `column_2`, … then. */
  readonly header?: boolean | undefined
  /** Of CSV and TSV: lines at the top of the file to pass over, such as a title. */
  readonly skip?: number | undefined
  /** Of CSV and TSV: the one character that begins a line to pass over; the empty text if no line is a comment. */
  readonly comment?: string | undefined
  /** Columns of one name: refused by default; `number` calls the second one `name_2`. */
  readonly sameNames?: 'refuse' | 'number' | undefined
  /** Of JSON: the names that lead to the rows, `data.items`; `.` is the whole file. A list gives a row per item, an object a row per member. */
  readonly records?: string | undefined
  /** Values that mean missing, such as `n/a`; a number as it is written: `-999`. `NaN` and `Infinity` of Python's JSON and Parquet as well. */
  readonly missing?: readonly string[] | undefined
}

/** The options in use, except `missing`, which is never detected. */
export type Detected = Omit<ReadOptions, 'missing'> & { readonly format: Format }

/** One way to read the file: a label for a tick or a list, and the options that choose it. */
export interface Choice {
  /** Imperative and short: `Treat the first line as data`. */
  readonly label: string
  readonly options: ReadOptions
}

/** A finding about the file that the reader should see, or must confirm. */
export interface Note {
  /** The option that it is about. */
  readonly option: keyof ReadOptions
  /** For a person: `The values are separated by semicolons.` */
  readonly sentence: string
  /** True if both readings are likely: ask the user, or refuse in a script. False: just show the reading. */
  readonly isUncertain: boolean
  /** The way in use first, then the others. */
  readonly choices: readonly Choice[]
}
