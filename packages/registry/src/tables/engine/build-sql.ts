/** Statements that build a table file. */
import { findColumns, type TableColumn } from '@ulmus/content'
import {
  expressionOf,
  fallibleValues,
  isFallible,
  misfitCount,
  nullCount,
  quoted,
  type ReadingForm,
  rowsOf,
  searchColumn,
  searchedExpression,
  storedExpression,
  storedName,
  storedType,
  tableName,
} from './column-sql.ts'

/** @param columns with the id first */
export function createStatement(columns: readonly TableColumn[]): string {
  const defined = columns.map((column) => `${storedName(column.name)} ${storedType(column)}`)
  return `CREATE TABLE ${tableName} (${defined.join(', ')}, ${quoted(searchColumn)} VARCHAR)`
}

/** Adds the records of an NDJSON file. */
export function insertStatement(path: string, columns: readonly TableColumn[], form: ReadingForm): string {
  const [id, ...others] = columns
  const values = others.map(
    (column) => `${storedExpression(column, storedName(column.name))} AS ${storedName(column.name)}`,
  )
  return `INSERT INTO ${tableName}
    SELECT *, ${searchedExpression(columns)} FROM (
      SELECT ${[`id AS ${storedName(id!.name)}`, ...values].join(', ')} FROM ${rowsOf(path, others, form)})`
}

/** Counts the nulls in each column whose values may be misfits; without any, answers 0. */
export function nullsStatement(columns: readonly TableColumn[]): string {
  const nulls = findColumns(columns)
    .filter(isFallible)
    .map((column) => nullCount(column, expressionOf(column.names)))
  return `SELECT ${['0', ...nulls].join(', ')} FROM ${tableName}`
}

/** Columns whose misfits a statement counts: the time of DuckDB grows with the square of their number. */
const countedMax = 100

/** Statements that count the values of an NDJSON file which become NULL, each for the columns at `paths`. */
export function misfitsStatements(
  path: string,
  columns: readonly TableColumn[],
  form: ReadingForm,
): { sql: string; paths: readonly string[] }[] {
  const fallible = columns.slice(1).filter((column) => fallibleValues([column]).length > 0)
  const groups = Array.from({ length: Math.ceil(fallible.length / countedMax) }, (_, n) =>
    fallible.slice(n * countedMax, (n + 1) * countedMax),
  )
  return groups.map((group) => {
    const values = fallibleValues(group)
    const counts = values.map(({ column, value }) => misfitCount(column, value))
    return {
      sql: `SELECT ${counts.join(', ')} FROM ${rowsOf(path, group, form)}`,
      paths: values.map(({ column }) => column.path),
    }
  })
}
