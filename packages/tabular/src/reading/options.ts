/** Options for reading a file as a table, and the report of the detected ones. */
export const formats = ['csv', 'tsv', 'json', 'ndjson', 'parquet', 'sqlite', 'xlsx', 'ods'] as const
export type Format = (typeof formats)[number]

/** `doubled`: `""` inside quotes. `backslash`: `\"`. `spaced`: spaces around values are ignored. `none`: a quote is a character. */
export type Quotes = 'doubled' | 'backslash' | 'spaced' | 'none'

/**
 * An omitted option is detected; `table.detected` has the values in use. To change one, open the file again with
 * `openTable(source, { ...options, ...choice.options })`.
 */
export interface ReadOptions {
  readonly format?: Format | undefined
  /** For text files: any label of `TextDecoder`, such as `utf-8`, `utf-16le` or `windows-1252`. */
  readonly encoding?: string | undefined
  /** For CSV and TSV: the character between values. */
  readonly delimiter?: string | undefined
  /** For CSV and TSV. */
  readonly quotes?: Quotes | undefined
  /** For CSV, TSV, workbooks and JSON rows that are lists: false if the first row is data. Columns are then named `column_1`, `column_2`, … */
  readonly header?: boolean | undefined
  /** For CSV, TSV and workbooks: number of lines to skip at the top, such as a title. */
  readonly skip?: number | undefined
  /** For CSV and TSV: the character that begins a line to skip; the empty text if no line is a comment. */
  readonly comment?: string | undefined
  /** True: leave out the row below the header if it has units, such as `degree_C`. */
  readonly skipUnits?: boolean | undefined
  /** True: leave out totals, sources and notes at the end. */
  readonly skipFooter?: boolean | undefined
  /** False: not as earlier files of the type were read (`openAsBefore`). */
  readonly asBefore?: boolean | undefined
  /** Columns of the same name: refused by default; `number` names the second one `name_2`. */
  readonly sameNames?: 'refuse' | 'number' | undefined
  /** A sheet of a workbook, a table or view of SQLite, a file of a ZIP archive. Default: the only one. */
  readonly table?: string | undefined
  /** For workbooks: true if hidden columns are read. They are left out by default. */
  readonly hidden?: boolean | undefined
  /** For JSON: path of names to the rows, `data.items`; `.` is the whole file. A list has a row per item, an object a row per member. */
  readonly records?: string | undefined
  /** For Parquet: columns that are not read, such as those of a kind that cannot be. */
  readonly leaveOut?: readonly string[] | undefined
  /**
   * Values that mean missing in all columns, such as `n/a`; numbers as written in the file: `-999`. Also `NaN` and `Infinity` in
   * Python's JSON and Parquet.
   */
  readonly missing?: readonly string[] | undefined
  /** Values that mean missing in one column, by its name: `NA` is a missing rank, and also the code of Namibia. */
  readonly missingIn?: Readonly<Record<string, readonly string[]>> | undefined
}

/** The options in use, except those that are never detected. */
export type Detected = Omit<ReadOptions, 'missing' | 'missingIn' | 'leaveOut' | 'asBefore'> & {
  readonly format: Format
}

/** One way to read the file: a label for a checkbox or a list, and the options that select it. */
export interface Choice {
  /** Imperative and short: `Treat the first line as data`. */
  readonly label: string
  readonly options: ReadOptions
}

/** A finding about the file that the user should see or must confirm. */
export interface Note {
  /** The option that it concerns. */
  readonly option: keyof ReadOptions
  /** For people: `The values are separated by semicolons.` */
  readonly sentence: string
  /** If true, several readings are likely: ask the user, or refuse in a script. If false, just show the reading. */
  readonly isUncertain: boolean
  /** The reading in use first, then the others. */
  readonly choices: readonly Choice[]
}
