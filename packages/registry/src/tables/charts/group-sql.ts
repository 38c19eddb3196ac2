/** Statements that group the rows that match, for charts. The rows of an answer are `[x, by, y, places]`. */
import type { FoundColumn, TableQuery } from '@ulmus/content'
import { cutExpression, expressionOf, tableName } from '../engine/column-sql.ts'
import { Parameters, type Statement, whereClause } from '../engine/query-sql.ts'

/** Values of the rows at a place. */
export const measures = {
  count: 'count(*)',
  sum: 'sum(v)',
  mean: 'avg(v)',
  median: 'median(v)',
  min: 'min(v)',
  max: 'max(v)',
} as const
export type Measure = keyof typeof measures

export type TimeUnit = 'hour' | 'day' | 'month' | 'year'

export interface Grouping {
  readonly x: FoundColumn
  /** Column of numbers that is measured; undefined for `count`. */
  readonly of: FoundColumn | undefined
  readonly measure: Measure
  /** Column whose values are the series. */
  readonly by: FoundColumn | undefined
}

/** Names along an axis, values of `by` with a series of their own, and places of numbers or times, at most. */
const namesMax = 30
const seriesMax = 6
const placesMax = 5_001
/** The series of all other values. */
const otherSeries = '(others)'

type Conditions = Pick<TableQuery, 'words' | 'filters'>

/** Earliest and latest time of a column. Seconds since 1970; null if no row has one. */
export function rangeStatement(query: Conditions, column: FoundColumn): Statement {
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const seconds = (least: string) =>
    `CAST(epoch(${least}(CAST(${expressionOf(column.names)} AS TIMESTAMP))) AS DOUBLE)`
  return {
    sql: `SELECT ${seconds('min')}, ${seconds('max')} FROM ${tableName}${where}`,
    values: parameters.values,
  }
}

/** @param unit that times are rounded down to */
export function groupStatement(query: Conditions, grouping: Grouping, unit: TimeUnit): Statement {
  const { x, of, measure, by } = grouping
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const series = by === undefined ? 'NULL' : expressionOf(by.names)
  const name =
    by === undefined
      ? 'NULL'
      : `CASE WHEN series IS NULL THEN '' WHEN series NOT IN (FROM tops) THEN '${otherSeries}' ELSE CAST(${cutExpression('series', by)} AS VARCHAR) END`
  // Names begin with the largest value of all their rows, of whatever series.
  const order = isPlaced(x) ? 'place' : 'whole DESC NULLS LAST, place'
  const sql = `WITH each AS (SELECT ${placeOf(x, unit)} AS place, ${series} AS series, ${of === undefined ? 'NULL' : expressionOf(of.names)} AS v FROM ${tableName}${where}),
    tops AS (SELECT series FROM each WHERE series IS NOT NULL GROUP BY series ORDER BY count(*) DESC, series LIMIT ${seriesMax}),
    named AS (SELECT place, ${name} AS name, v FROM each WHERE place IS NOT NULL),
    places AS (SELECT place, ${measures[measure]} AS whole FROM named GROUP BY place),
    kept AS (SELECT place, row_number() OVER (ORDER BY ${order}) AS rank FROM places QUALIFY rank <= ${isPlaced(x) ? placesMax : namesMax})
    SELECT ${labelOf(x)}, name, CAST(${measures[measure]} AS DOUBLE), (SELECT count(*) FROM places)
    FROM named JOIN kept USING (place) GROUP BY place, name, rank ORDER BY rank, name`
  return { sql, values: parameters.values }
}

/** Least and largest number of a column; null if no row has one. */
export function boundsStatement(query: Conditions, column: FoundColumn): Statement {
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const value = `CAST(${expressionOf(column.names)} AS DOUBLE)`
  return { sql: `SELECT min(${value}), max(${value}) FROM ${tableName}${where}`, values: parameters.values }
}

/** Counts of numbers between neighbouring edges: `[bin, count]`. Compares with the edges, for a quotient may round into the next bin. */
export function binStatement(query: Conditions, column: FoundColumn, edges: readonly number[]): Statement {
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const below = edges
    .slice(1, -1)
    .map((edge, bin) => `WHEN v < ${parameters.add(edge, { type: 'number', items: undefined })} THEN ${bin}`)
  const sql = `WITH each AS (SELECT CAST(${expressionOf(column.names)} AS DOUBLE) AS v FROM ${tableName}${where})
    SELECT ${below.length === 0 ? '0' : `CASE ${below.join(' ')} ELSE ${below.length} END`} AS bin, count(*) FROM each WHERE v IS NOT NULL GROUP BY bin ORDER BY bin`
  return { sql, values: parameters.values }
}

const isTime = ({ type }: FoundColumn): boolean => type === 'date' || type === 'date-time'

/** True if values have places on an axis, not only names. */
export const isPlaced = (column: FoundColumn): boolean =>
  isTime(column) || column.type === 'integer' || column.type === 'number'

function placeOf(column: FoundColumn, unit: TimeUnit): string {
  const value = expressionOf(column.names)
  if (column.type === 'list') return `unnest(list_distinct(${value}))`
  return isTime(column) ? `date_trunc('${unit}', CAST(${value} AS TIMESTAMP))` : value
}

/** Times and names as texts, numbers as DOUBLE. */
function labelOf(column: FoundColumn): string {
  if (isTime(column)) return 'CAST(place AS VARCHAR)'
  return isPlaced(column) ? 'CAST(place AS DOUBLE)' : `CAST(${cutExpression('place', column)} AS VARCHAR)`
}
