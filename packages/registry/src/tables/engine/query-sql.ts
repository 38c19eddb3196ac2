/** Statements that answer a question about a table. Names come from the mapping, values are bound. */
import {
  type Filter,
  type FilterValue,
  type FoundColumn,
  idColumn,
  type TableColumn,
  type TableQuery,
} from '@ulmus/content'
import {
  cutExpression,
  expressionOf,
  folded,
  literal,
  quoted,
  searchColumn,
  storedName,
  tableName,
} from './column-sql.ts'
import { rankExpression } from './match-sql.ts'

/** A statement with the values of its parameters `$1` …. Numbers are texts. */
export interface Statement {
  readonly sql: string
  readonly values: readonly (string | boolean)[]
}

/** Collects values while the text of a statement is made. */
export class Parameters {
  readonly values: (string | boolean)[] = []

  /** @returns `$n`, which has the type of the column */
  add(value: FilterValue, column: Pick<FoundColumn, 'type' | 'items'>): string {
    const type = column.type === 'list' ? column.items : column.type
    const isWhole = typeof value === 'bigint' || (type === 'integer' && isHuge(value))
    // Numbers are bound as texts: the binding takes whole ones for 64-bit integers.
    this.values.push(isWhole ? String(BigInt(value)) : typeof value === 'number' ? String(value) : value)
    const parameter = `$${this.values.length}`
    if (isWhole) return `CAST(${parameter} AS HUGEINT)`
    if (typeof value === 'number') return `CAST(${parameter} AS DOUBLE)`
    if (type === 'date') return `CAST(${parameter} AS DATE)`
    if (type === 'date-time') return `CAST(${parameter} AS TIMESTAMPTZ)`
    return parameter
  }
}

/** True for a whole number that a HUGEINT can hold. */
const isHuge = (value: FilterValue): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e38

const comparisons = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const
const searches = { contains: 'contains', starts: 'starts_with', ends: 'ends_with' } as const

/** Ids of the rows of a page, in their order. */
export function pageStatement(query: TableQuery): Statement {
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const sql = `SELECT ${storedName(idColumn.name)} FROM ${tableName}${where} ORDER BY ${orderOf(query, parameters)} LIMIT ${query.limit} OFFSET ${query.offset}`
  return { sql, values: parameters.values }
}

/** Counts the rows that match. */
export function countStatement(query: Pick<TableQuery, 'words' | 'filters'>): Statement {
  const parameters = new Parameters()
  return {
    sql: `SELECT count(*) FROM ${tableName}${whereClause(query, parameters)}`,
    values: parameters.values,
  }
}

/** Values of a facet that are listed. */
export const facetValuesMax = 30

/** The most frequent values of a column under a filter, cut, with their counts, and the number of all distinct values. */
export function facetStatement(query: Pick<TableQuery, 'words' | 'filters'>, column: FoundColumn): Statement {
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const value = expressionOf(column.names)
  const each = column.type === 'list' ? `unnest(list_distinct(${value}))` : value
  const sql = `WITH each AS (SELECT ${each} AS value FROM ${tableName}${where}),
    counted AS (SELECT value, count(*) AS count FROM each WHERE value IS NOT NULL GROUP BY value)
    SELECT ${cutExpression('value', column)}, count, (SELECT count(*) FROM counted) AS distinct_values
    FROM counted ORDER BY count DESC, value LIMIT ${facetValuesMax}`
  return { sql, values: parameters.values }
}

/** A file that a statement writes. */
export interface Target {
  readonly path: string
  readonly format: 'csv' | 'parquet'
}

/** Writes all matching rows to a file. CSV has lists and objects as JSON, and times and numbers as in the records. */
export function copyStatement(query: TableQuery, columns: readonly FoundColumn[], target: Target): Statement {
  const parameters = new Parameters()
  const where = whereClause(query, parameters)
  const isCsv = target.format === 'csv'
  const selected = columns.map(
    (column) =>
      `${isCsv ? csvExpression(column) : expressionOf(column.names)} AS ${quoted(column.names.join('.'))}`,
  )
  // Rows are stored by id.
  const isById = query.sort.length === 0 && query.order === undefined
  const order = isById ? '' : ` ORDER BY ${orderOf(query, parameters)}`
  const options = isCsv ? 'FORMAT csv, HEADER' : 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 65536'
  return {
    sql: `COPY (SELECT ${selected.join(', ')} FROM ${tableName}${where}${order}) TO ${literal(target.path)} (${options})`,
    values: parameters.values,
  }
}

/** A time as RFC 3339 writes it. */
const timeExpression = (value: string): string =>
  `regexp_replace(replace(CAST(${value} AS VARCHAR), ' ', 'T'), '\\+00$', 'Z')`

function csvExpression({ type, names, items, members }: FoundColumn): string {
  const value = expressionOf(names)
  switch (type) {
    case 'list': {
      const list =
        items === 'date-time' ? `list_transform(${value}, lambda x: ${timeExpression('x')})` : value
      return `CAST(to_json(${list}) AS VARCHAR)`
    }
    case 'object':
      return objectExpression(names, members!)
    case 'json':
      return `CAST(${value} AS VARCHAR)`
    case 'number':
      // 5.0 is written 5.
      return `regexp_replace(CAST(${value} AS VARCHAR), '\\.0$', '')`
    case 'date-time':
      return timeExpression(value)
    default:
      return value
  }
}

/** An object as JSON text without its missing members, which are NULL and which `concat_ws` leaves out. */
function objectExpression(names: readonly string[], members: readonly TableColumn[]): string {
  const pairs = members.map((member) => {
    const within = [...names, member.name]
    const value = expressionOf(within)
    const json =
      member.type === 'object'
        ? objectExpression(within, member.members!)
        : member.type === 'list'
          ? csvExpression({ ...member, names: within })
          : `CAST(to_json(${member.type === 'date-time' ? timeExpression(value) : value}) AS VARCHAR)`
    return `CASE WHEN ${value} IS NOT NULL THEN ${literal(`${JSON.stringify(member.name)}:`)} || ${json} END`
  })
  return `CASE WHEN ${expressionOf(names)} IS NOT NULL THEN '{' || concat_ws(',', ${pairs.join(', ')}) || '}' END`
}

/**
 * Ties by id: rows are stored in the order of their ids, and numbers sort faster than texts. With the name of the table: the header of a
 * CSV file may have the stored name of another column.
 */
function orderOf({ sort, order, words }: TableQuery, parameters: Parameters): string {
  const text = (value: string) => parameters.add(value, { type: 'text' })
  const down = order?.isDescending ? ' DESC' : ''
  if (order?.by === 'number')
    return `strlen(${tableName}.${storedName(idColumn.name)})${down}, ${tableName}.rowid${down}`
  const rank = order === undefined ? [] : [rankExpression(text(words.join(' ')), words.map(text))]
  const parts = sort.map(
    ({ column, isDescending }) =>
      `${tableName}.${expressionOf(column.names)} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`,
  )
  return [...rank, ...parts, `${tableName}.rowid`].join(', ')
}

export function whereClause(
  { words, filters }: Pick<TableQuery, 'words' | 'filters'>,
  parameters: Parameters,
): string {
  const text = { type: 'text' } as const
  const conditions = [
    ...words.map((word) => `contains(${quoted(searchColumn)}, ${folded(parameters.add(word, text))})`),
    ...filters.map((filter) => conditionOf(filter, parameters)),
  ]
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

function conditionOf({ column, operator, values }: Filter, parameters: Parameters): string {
  const value = expressionOf(column.names)
  switch (operator) {
    case 'null':
      return `${value} IS NULL`
    case 'notnull':
      return `${value} IS NOT NULL`
    case 'in':
      return values.length === 0
        ? 'false'
        : `${value} IN (${values.map((one) => parameters.add(one, column)).join(', ')})`
    case 'contains':
    case 'starts':
    case 'ends': {
      const wanted = parameters.add(values[0]!, column)
      if (column.type === 'list') return `list_contains(${value}, ${wanted})`
      const own = column.type === 'json' ? `CAST(${value} AS VARCHAR)` : value
      const exact = `${searches[operator]}(${folded(own)}, ${folded(wanted)})`
      // Folding is slow beyond ASCII: the stored folded texts leave out most rows first.
      const isSearched = !String(values[0]).includes('\n')
      return isSearched ? `(contains(${quoted(searchColumn)}, ${folded(wanted)}) AND ${exact})` : exact
    }
    default:
      return `${value} ${comparisons[operator]} ${parameters.add(values[0]!, column)}`
  }
}
