/** Statements for the statistics of a column: exact, over all rows of a table. */
import { type FoundColumn, idColumn, type ScalarType } from '@ulmus/content'
import { cutExpression, expressionOf, tableName } from './column-sql.ts'

export const histogramBins = 20
/** Most frequent values that statistics list. */
export const topValuesMax = 10

/** Types whose values have a mean, quartiles and a histogram. Instants count as seconds since 1970. */
const measured: ReadonlySet<string> = new Set(['number', 'integer', 'date-time', 'date'])
const isMeasured = ({ type }: FoundColumn): boolean => measured.has(type)

/** The values as doubles. */
function asNumber(column: FoundColumn): string {
  const value = expressionOf(column.names)
  if (column.type === 'date' || column.type === 'date-time') return `epoch(${value})`
  return `CAST(${value} AS DOUBLE)`
}

/** The squares of larger numbers are no doubles, and DuckDB refuses the statement. */
const squaredMax = '1e150'

/** An aggregate of numbers; NULL if one is too large for it. */
function withinRange(aggregate: (x: string) => string, number: string, { type }: FoundColumn): string {
  if (type !== 'number') return aggregate(number)
  const small = `CASE WHEN abs(${number}) < ${squaredMax} THEN ${number} END`
  return `CASE WHEN max(abs(${number})) < ${squaredMax} THEN ${aggregate(small)} END`
}

/** One row: count of values, distinct values, least, greatest, mean, standard deviation, quartiles, lengths of texts. */
export function summaryStatement(column: FoundColumn): string {
  const value = expressionOf(column.names)
  const isScalar = column.type !== 'list' && column.type !== 'object' && column.type !== 'json'
  const number = asNumber(column)
  const length =
    column.type === 'list' ? `len(${value})` : column.type === 'text' ? `length(${value})` : undefined
  const parts = [
    'count(*) AS rows',
    `count(${value}) AS filled`,
    `${column.type === 'object' ? 'NULL' : `count(DISTINCT ${value})`} AS distinct_values`,
    `${isScalar ? cutExpression(`min(${value})`, column) : 'NULL'} AS least`,
    `${isScalar ? cutExpression(`max(${value})`, column) : 'NULL'} AS greatest`,
    ...(isMeasured(column)
      ? [
          `min(${number}) AS low`,
          `max(${number}) AS high`,
          `${withinRange((x) => `avg(${x})`, number, column)} AS mean`,
          `${withinRange((x) => `stddev_samp(${x})`, number, column)} AS deviation`,
          `${withinRange((x) => `quantile_cont(${x}, [0.25, 0.5, 0.75])`, number, column)} AS quartiles`,
        ]
      : []),
    ...(length === undefined
      ? []
      : [`min(${length}) AS shortest`, `max(${length}) AS longest`, `avg(${length}) AS mean_length`]),
  ]
  return `SELECT ${parts.join(', ')} FROM ${tableName}`
}

/** True if all ids are whole numbers as numbers are written: `0`, `17`. */
export const numberedStatement = `SELECT coalesce(bool_and(regexp_full_match(${expressionOf([idColumn.name])}, '0|[1-9][0-9]*')), false) FROM ${tableName}`

/** Counts by bin, 0 to 19, of equal width between `low` and `high`, which differ. Empty bins have no row. */
export function histogramStatement(column: FoundColumn): string {
  const number = asNumber(column)
  const [low, high] = ['CAST($1 AS DOUBLE)', 'CAST($2 AS DOUBLE)']
  return `SELECT CAST(least(floor((${number} - ${low}) / (${high} - ${low}) * ${histogramBins}), ${histogramBins - 1}) AS INTEGER) AS bin,
    count(*) AS count FROM ${tableName} WHERE ${expressionOf(column.names)} IS NOT NULL GROUP BY bin ORDER BY bin`
}

/** The most frequent values, cut. */
export function topStatement(column: FoundColumn): string {
  const value = expressionOf(column.names)
  return `WITH each AS (SELECT ${value} AS value FROM ${tableName}),
    counted AS (SELECT value, count(*) AS count FROM each WHERE value IS NOT NULL GROUP BY value)
    SELECT ${cutExpression('value', column)}, count FROM counted ORDER BY count DESC, value LIMIT ${topValuesMax}`
}

/** Types whose frequent values say something: a number that occurs ten times says less than its quartiles. */
export const hasTopValues = ({ type }: FoundColumn): boolean =>
  (['text', 'boolean', 'integer', 'date', 'file'] as (ScalarType | string)[]).includes(type)
