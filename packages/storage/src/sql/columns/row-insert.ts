/** Rows that a raw statement inserts: a parameter for each column, in the table's order. */
import { getTableColumns, getTableName, type InferSelectModel, type Table } from 'drizzle-orm'

/**
 * A part of a statement: inserts what was given as `rowValues` if a relation has a row. Whatever should be answered is to be added.
 * @param row.first the number of its first parameter
 * @param row.from that relation, of one row or none
 * @param row.as what a column gets instead of its parameter
 */
export function rowInserted<T extends Table>(
  table: T,
  row: {
    first: number
    from: string
    as?: { [Name in keyof InferSelectModel<T>]?: (parameter: string) => string }
  },
): string {
  const columns = Object.entries(getTableColumns(table))
  const names = columns.map(([, { name }]) => `"${name}"`)
  const values = columns.map(([key], index) => {
    const parameter = `$${row.first + index}`
    return row.as?.[key as keyof InferSelectModel<T>]?.(parameter) ?? parameter
  })
  return `insert into ${getTableName(table)} (${names.join()}) select ${values.join()} from ${row.from}`
}

export function rowValues<T extends Table>(table: T, row: InferSelectModel<T>): unknown[] {
  return Object.entries(getTableColumns(table)).map(([key, column]) => {
    const value = row[key as keyof typeof row]
    return value === null ? null : column.mapToDriverValue(value)
  })
}
