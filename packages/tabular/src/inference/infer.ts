/** Inference of a table's columns: reads the rows once, in order, and keeps none. */
import { OddRows, oddRowNotes } from '../reading/odd-rows.ts'
import type { Format, Note, ReadOptions } from '../reading/options.ts'
import type { RemovedMark, Row, Table } from '../reading/table.ts'
import { type Column, ColumnWatch } from './column.ts'
import { HashBudget } from './hash-set.ts'
import { NumberBudget } from './number-texts.ts'

/** Result of reading all rows once. */
export interface Inference {
  /** Name of the table. */
  readonly name: string
  readonly format: Format
  readonly rows: number
  /** In the order of the table. */
  readonly columns: readonly Column[]
  /** Columns that the file declares as the key of a row. */
  readonly key?: readonly string[] | undefined
  /** Rows that may be no records, such as totals, to be shown to the user. */
  readonly hints: readonly Note[]
  /** Up to ten rows at the end. */
  readonly last: readonly Row[]
  /** Values that were removed, because the options say that they mean missing. */
  readonly removed: readonly RemovedMark[]
  /** The options that were given for it. */
  readonly options: ReadOptions
  /** Those, and detected ones that have a note. */
  readonly reading: ReadOptions
}

/**
 * Memory is bounded by the number of columns and by 256 MiB for all ids: enough to determine the uniqueness of 8 columns with a million
 * distinct values, or one with 16 million; further columns count as not unique.
 * @throws TableError for the first row that cannot be read
 */
export async function inferTable(table: Table, budget = new HashBudget()): Promise<Inference> {
  const watches: ColumnWatch[] = []
  const numbers = new NumberBudget()
  const watchOf = (name: string) => new ColumnWatch(name, table.isText, budget, numbers)
  const odd = new OddRows(table.isText)
  let rows = 0
  for await (const batch of table.batches()) {
    while (watches.length < table.columns.length) watches.push(watchOf(table.columns[watches.length]!))
    rows += batch.length
    odd.see(batch)
    for (const { line, values } of batch)
      for (let place = 0; place < values.length; place++) watches[place]?.see(values[place], line)
  }
  const columns = table.columns.map((name, place) => (watches[place] ?? watchOf(name)).column(rows))
  const { name, format, key, options = {} } = table
  const passed = table.passedOver?.()
  const hints = [
    ...oddRowNotes(table, odd, false),
    ...(passed === undefined ? [] : oddRowNotes(table, passed, true)),
  ]
  const { last } = odd
  const noted = (table.isText ? table.notes : []).map(({ option }) => [
    option,
    (table.detected as ReadOptions)[option],
  ])
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const reading = { ...Object.fromEntries(noted), ...Object.fromEntries(given) }
  return { name, format, rows, columns, key, hints, last, removed: table.removed?.() ?? [], options, reading }
}
