/** What a table holds: its rows are read once, from the first to the last, and none is kept. */
import type { Table } from '../reading/table.ts'
import { type Column, ColumnWatch } from './column.ts'
import { HashBudget } from './hash-set.ts'

export interface Inference {
  /** Of the table. */
  readonly name: string
  readonly rows: number
  /** In the order of the table. */
  readonly columns: readonly Column[]
}

/**
 * Memory is bounded by the number of columns and by 256 MiB for all ids: 8 columns of a million different values are known to be unique, or
 * one of 16 million; which further ones are is not known.
 * @throws TableError for the first row that cannot be read
 */
export async function inferTable(table: Table, budget = new HashBudget()): Promise<Inference> {
  const watches: ColumnWatch[] = []
  let rows = 0
  for await (const batch of table.batches()) {
    while (watches.length < table.columns.length) watches.push(new ColumnWatch(table.isText, budget))
    rows += batch.length
    for (const { line, values } of batch)
      for (let place = 0; place < values.length; place++) watches[place]?.see(values[place], line)
  }
  const columns = table.columns.map((name, place) =>
    (watches[place] ?? new ColumnWatch(table.isText, budget)).column(name, rows),
  )
  return { name: table.name, rows, columns }
}

const idNames = /^(?:id|_id|uuid|guid|key|code|slug|identifier)$/i

/** Columns whose values can be ids, those that are called so first. */
export const idCandidates = (columns: readonly Column[]): Column[] =>
  columns
    .filter(({ isUnique, kind }) => isUnique && (kind === 'string' || kind === 'integer'))
    .sort((a, b) => Number(idNames.test(b.name)) - Number(idNames.test(a.name)))
