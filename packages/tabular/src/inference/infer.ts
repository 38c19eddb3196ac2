/** Inference of a table's columns: reads the rows once, in order, and keeps none. */
import type { Format } from '../reading/options.ts'
import type { Table } from '../reading/table.ts'
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
}

/**
 * Memory is bounded by the number of columns and by 256 MiB for all ids: enough to determine the uniqueness of 8 columns with a million
 * distinct values, or one with 16 million; further columns count as not unique.
 * @throws TableError for the first row that cannot be read
 */
export async function inferTable(table: Table, budget = new HashBudget()): Promise<Inference> {
  const watches: ColumnWatch[] = []
  const numbers = new NumberBudget()
  const watchOf = () => new ColumnWatch(table.isText, budget, numbers)
  let rows = 0
  for await (const batch of table.batches()) {
    while (watches.length < table.columns.length) watches.push(watchOf())
    rows += batch.length
    for (const { line, values } of batch)
      for (let place = 0; place < values.length; place++) watches[place]?.see(values[place], line)
  }
  const columns = table.columns.map((name, place) => (watches[place] ?? watchOf()).column(name, rows))
  return { name: table.name, format: table.format, rows, columns, key: table.key }
}
