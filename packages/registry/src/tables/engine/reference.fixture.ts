/** The plain computation that answers of the engine are compared with. */
import {
  compareUtf8,
  type Filter,
  type FoundColumn,
  isJsonObject,
  type Json,
  type TableQuery,
} from '@ulmus/content'

export interface Row {
  readonly id: string
  readonly data: Json
}

type Value = string | number | bigint | boolean | undefined | Value[] | { json: Json }

const tokens = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The value that a table has for a column. */
export function cellOf({ id, data }: Row, column: FoundColumn): Value {
  if (column.names[0] === '_id') return id
  let at: Json | undefined = data
  for (const token of tokens(column.path))
    at = isJsonObject(at) && Object.hasOwn(at, token) ? at[token] : undefined
  if (at === undefined || at === null) return undefined
  if (column.type === 'list')
    return Array.isArray(at) ? at.map((item) => scalar(item, column.items!)) : undefined
  if (column.type === 'object') return isJsonObject(at) ? { json: at } : undefined
  return scalar(at, column.type)
}

function scalar(value: Json, type: string): Value {
  switch (type) {
    case 'json':
      return { json: value }
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'integer':
      return typeof value === 'number' && Math.abs(value) < 2 ** 63 ? BigInt(value) : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'date-time':
      return typeof value === 'string' && !value.includes(':60') ? Date.parse(value) : undefined
    default:
      return typeof value === 'string' ? value : undefined
  }
}

const folded = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ø', 'o')

export const matches = (row: Row, { filters }: Pick<TableQuery, 'filters'>): boolean =>
  filters.every((filter) => holds(row, filter))

function holds(row: Row, { column, operator, values }: Filter): boolean {
  const value = cellOf(row, column)
  if (operator === 'null') return value === undefined
  if (value === undefined) return false
  const [raw] = values
  const wanted = column.type === 'date-time' ? Date.parse(String(raw)) : raw
  switch (operator) {
    case 'contains':
      return Array.isArray(value)
        ? value.includes(wanted)
        : folded(String(value)).includes(folded(String(wanted)))
    case 'starts':
      return folded(String(value)).startsWith(folded(String(wanted)))
    case 'ends':
      return folded(String(value)).endsWith(folded(String(wanted)))
    case 'notnull':
      return true
    case 'in':
      return values.some((one) => compared(value, one) === 0)
    default: {
      const order = compared(value, wanted)
      return {
        eq: order === 0,
        ne: order !== 0,
        lt: order < 0,
        le: order <= 0,
        gt: order > 0,
        ge: order >= 0,
      }[operator]
    }
  }
}

/** Texts by their bytes. */
function compared(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b)
  return a! < b! ? -1 : a! > b! ? 1 : 0
}

/** Missing values last; ties by id. */
export function orderedIds(rows: readonly Row[], { sort, limit, offset }: TableQuery): string[] {
  const sorted = rows.toSorted((first, second) => {
    for (const { column, isDescending } of sort) {
      const [a, b] = [cellOf(first, column), cellOf(second, column)]
      if (a === undefined && b === undefined) continue
      if (a === undefined) return 1
      if (b === undefined) return -1
      const order = compared(a, b)
      if (order !== 0) return isDescending ? -order : order
    }
    return compareUtf8(first.id, second.id)
  })
  return sorted.slice(offset, offset + limit).map(({ id }) => id)
}

/** The 30 most frequent values of a column; items of lists count once a row. */
export function topValues(rows: readonly Row[], column: FoundColumn): { value: Value; count: number }[] {
  const counts = new Map<Value, number>()
  for (const row of rows) {
    const value = cellOf(row, column)
    for (const one of new Set(Array.isArray(value) ? value : [value]))
      if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, 30)
}
