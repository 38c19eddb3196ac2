/** Statements that build a table file. */
import { findColumns, searchColumn, type TableColumn } from '@ulmus/content'
import {
  expressionOf,
  fallibleValues,
  isFallible,
  quoted,
  type ReadingForm,
  readExpression,
  rowsOf,
  searchedExpression,
  storedExpression,
  storedType,
  tableName,
} from './column-sql.ts'

/** @param columns with the id first */
export function createStatement(columns: readonly TableColumn[]): string {
  const defined = columns.map((column) => `${quoted(column.name)} ${storedType(column)}`)
  return `CREATE TABLE ${tableName} (${defined.join(', ')}, ${quoted(searchColumn)} VARCHAR)`
}

/** Adds the records of an NDJSON file. */
export function insertStatement(path: string, columns: readonly TableColumn[], form: ReadingForm): string {
  const [id, ...others] = columns
  const values = others.map(
    (column) => `${storedExpression(column, readExpression(column, form))} AS ${quoted(column.name)}`,
  )
  return `INSERT INTO ${tableName}
    SELECT *, ${searchedExpression(columns)} FROM (
      SELECT ${[`id AS ${quoted(id!.name)}`, ...values].join(', ')} FROM ${rowsOf(path, others, form)})`
}

/** Counts the nulls in columns whose values may be misfits, all together. */
export function nullsStatement(columns: readonly TableColumn[]): string {
  const nulls = findColumns(columns)
    .filter(isFallible)
    .map(({ names }) => `count(*) - count(${expressionOf(names)})`)
  return `SELECT ${['0', ...nulls].join(' + ')} FROM ${tableName}`
}

/** Counts the values of an NDJSON file that become NULL, for the columns at `paths`; undefined: none can. */
export function misfitsStatement(
  path: string,
  columns: readonly TableColumn[],
  form: ReadingForm,
): { sql: string; paths: readonly string[] } | undefined {
  const others = columns.slice(1)
  const fallible = fallibleValues(others, form)
  if (fallible.length === 0) return undefined
  const counts = fallible.map(
    ({ column, value }) =>
      `count(*) FILTER (${value} IS NOT NULL AND ${storedExpression(column, value)} IS NULL)`,
  )
  return {
    sql: `SELECT ${counts.join(', ')} FROM ${rowsOf(path, others, form)}`,
    paths: fallible.map(({ column }) => column.path),
  }
}
