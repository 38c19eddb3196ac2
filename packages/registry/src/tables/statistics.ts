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
  numberedStatement,
  summaryStatement,
  topStatement,
  topValuesMax,
} from './engine/statistics-sql.ts'

/** Answers of the engine, one for each statement. */
export type Ask = (statements: readonly Statement[]) => Promise<readonly EngineRows[]>

/** Bytes of all least, greatest and frequent texts of a table. Further columns have none: a schema may have ten thousand. */
export const textBytesMax = 524_288
/** Columns of a table with statistics on pages, and ahead of questions: each takes several statements. */
export const profiledMax = 300
/** Bytes of a column without these, its name and its texts: a histogram takes the most. */
const columnBytes = 700
/** Cut values of a column, and their bytes in JSON: 101 characters of up to 6. */
const textsEach = (topValuesMax + 2) * 606

/** The most that statistics take. Bytes. */
export function statisticsBytes(columns: readonly TableColumn[]): number {
  const found = findColumns(columns)
  const names = found.reduce((sum, column) => sum + 6 * fieldOf(column).length, 0)
  return names + found.length * columnBytes + Math.min(found.length * textsEach, textBytesMax + textsEach)
}

/**
 * `TableStatistics` as JSON. Columns are written one by one, so that no turn of the event loop writes thousands.
 * @param misfits values that their column cannot represent, by its path
 * @param ask takes one column at a time, so that questions of others have their turns between
 */
export async function writeStatistics(
  columns: readonly TableColumn[],
  misfits: Readonly<Record<string, number>>,
  ask: Ask,
): Promise<Buffer> {
  const written: Buffer[] = []
  let [rows, room] = [0, textBytesMax]
  const [ids] = await ask([{ sql: numberedStatement, values: [] }])
  const isNumbered = ids![0]![0] === true
  for (const column of findColumns(columns)) {
    const isBrief = room <= 0 && isText(column)
    const top = hasTopValues(column) && !isBrief ? [{ sql: topStatement(column), values: [] }] : []
    const [summary, values] = await ask([{ sql: summaryStatement(column), values: [] }, ...top])
    const cells = summary![0]!
    rows = countOf(cells[0])
    const { min, max, ...facts } = describe(column, cells)
    const texts = { ...(min !== undefined && !isBrief && { min, max }), ...topOf(column, values) }
    if (isText(column)) room -= Buffer.byteLength(JSON.stringify(texts))
    const histogram = await histogramOf(column, cells, ask)
    const found: ColumnStatistics = { ...facts, misfits: misfits[column.path] ?? 0, ...texts, ...histogram }
    written.push(Buffer.from(`${written.length === 0 ? '' : ','}${JSON.stringify(found)}`))
  }
  return Buffer.concat([
    Buffer.from(`{"rows":${rows},"numbered":${isNumbered},"columns":[`),
    ...written,
    Buffer.from(']}'),
  ])
}

const isText = ({ type }: FoundColumn): boolean => type === 'text' || type === 'file'

/** Columns of `summaryStatement`, in its order. */
function describe(column: FoundColumn, cells: readonly unknown[]): Omit<ColumnStatistics, 'misfits'> {
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
