/** Statistics of the columns of a table, exact over all rows. They never change, so callers may cache them by the key of the table. */
import { type FoundColumn, findColumns, type TableColumn } from '@ulmus/content'
import type { ColumnStatistics } from '@ulmus/wire'
import { cellValue, countOf, fieldOf } from './cells.ts'
import type { EngineRows } from './engine/engine.ts'
import type { Statement } from './engine/query-sql.ts'
import {
  hasTopValues,
  histogramBins,
  histogramStatement,
  summaryStatement,
  topStatement,
} from './engine/statistics-sql.ts'

/** Answers of the engine, one for each statement. */
export type Ask = (statements: readonly Statement[]) => Promise<readonly EngineRows[]>

/** Without the misfits, which are counted when the table is built. */
export type MeasuredColumn = Omit<ColumnStatistics, 'misfits'>

/** @param ask takes one column at a time, so that questions of others have their turns between */
export async function readStatistics(
  columns: readonly TableColumn[],
  ask: Ask,
): Promise<{ rows: number; columns: MeasuredColumn[] }> {
  const found: MeasuredColumn[] = []
  let rows = 0
  for (const column of findColumns(columns)) {
    const top = hasTopValues(column) ? [{ sql: topStatement(column), values: [] }] : []
    const [summary, values] = await ask([{ sql: summaryStatement(column), values: [] }, ...top])
    const cells = summary![0]!
    rows = countOf(cells[0])
    found.push({
      ...describe(column, cells),
      ...(await histogramOf(column, cells, ask)),
      ...topOf(column, values),
    })
  }
  return { rows, columns: found }
}

/** Columns of `summaryStatement`, in its order. */
function describe(column: FoundColumn, cells: readonly unknown[]): MeasuredColumn {
  const [rows, filled, distinct, least, greatest, ...more] = cells
  const count = countOf(filled)
  const isMeasured = ['number', 'integer', 'date-time', 'date'].includes(column.type)
  const [low, , mean, deviation, quartiles] = isMeasured ? more : []
  const [shortest, longest, meanLength] = isMeasured ? [] : more
  return {
    field: fieldOf(column),
    type: column.type,
    count,
    nulls: countOf(rows) - count,
    ...(distinct !== null && { distinct: countOf(distinct) }),
    ...(least !== null && { min: cellValue(column, least), max: cellValue(column, greatest) }),
    ...(low !== undefined &&
      mean !== null && {
        mean: Number(mean),
        standardDeviation: deviation === null ? null : Number(deviation),
        quartiles: (quartiles as unknown[]).map(Number),
      }),
    ...(shortest !== undefined &&
      shortest !== null && {
        lengths: { min: countOf(shortest), max: countOf(longest), mean: Number(meanLength) },
      }),
  }
}

async function histogramOf(column: FoundColumn, cells: readonly unknown[], ask: Ask) {
  const [from, to] = [cells[5], cells[6]].map(Number) as [number, number]
  const isMeasured = ['number', 'integer', 'date-time', 'date'].includes(column.type)
  // A single value has no width; the width of the largest doubles is infinite.
  if (!isMeasured || cells[5] === null || !(to > from) || !Number.isFinite(to - from)) return {}
  const [bins] = await ask([{ sql: histogramStatement(column), values: [String(from), String(to)] }])
  const counts = Array<number>(histogramBins).fill(0)
  for (const [bin, count] of bins!) counts[Number(bin)] = countOf(count)
  return { histogram: { from, to, counts } }
}

const topOf = (column: FoundColumn, rows: EngineRows | undefined) =>
  rows === undefined
    ? {}
    : { top: rows.map(([value, count]) => ({ value: cellValue(column, value), count: countOf(count) })) }
