/**
 * Questions about a table: words, filters, order, columns and a page. One grammar for URLs, pages, the client and the command line
 * (docs/queries.md).
 */
import { parseJson } from '../json/parse.ts'
import type { ScalarType, TableColumn } from './columns.ts'
import { type FoundColumn, findColumn, QueryError, quotedField } from './fields.ts'
import { type FilterValue, readValue, unquoted, valueWords } from './filter-values.ts'

export const operators = [
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'contains',
  'starts',
  'ends',
  'in',
  'null',
  'notnull',
] as const
export type Operator = (typeof operators)[number]

/** Rows of a page: the default and the most. */
export const rowsUsual = 100
export const rowsMax = 1_000
/** Bounds of one question, so that its statement stays small. */
export const filtersMax = 32
export const wordsMax = 16
export const sortColumnsMax = 8
export const inValuesMax = 1_000

/** `sort` by how well records match the words. A field of this name is meant if there is one. */
export const matchOrder = '_match'
/** `sort` by the length of ids, then by id: the order of numbers where all ids are whole ones. A field of this name is meant if there is one. */
export const numberOrder = '_number'

export interface Filter {
  readonly column: FoundColumn
  readonly operator: Operator
  /** One value, several of `in`, none of `null` and `notnull`. */
  readonly values: readonly FilterValue[]
}

export interface Order {
  readonly by: 'match' | 'number'
  readonly isDescending: boolean
}

export interface TableQuery {
  /** Each must occur in some text column; case and accents do not count. */
  readonly words: readonly string[]
  /** All must hold. */
  readonly filters: readonly Filter[]
  readonly sort: readonly { readonly column: FoundColumn; readonly isDescending: boolean }[]
  /** The best matches of the words first, or ids by their length first; then `sort` is empty. */
  readonly order: Order | undefined
  /** Undefined: all. */
  readonly columns: readonly FoundColumn[] | undefined
  /** Columns whose values are counted. */
  readonly facet: readonly FoundColumn[]
  readonly limit: number
  readonly offset: number
}

/** Parameters as they are written; `filter` may come several times. */
export interface QueryText {
  readonly q?: string | undefined
  readonly filter?: string | readonly string[] | undefined
  readonly sort?: string | undefined
  readonly columns?: string | undefined
  readonly facet?: readonly string[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** @throws QueryError */
export function readTableQuery(text: QueryText, columns: readonly TableColumn[]): TableQuery {
  const filters = [text.filter ?? []].flat()
  if (filters.length > filtersMax)
    throw new QueryError(
      'invalid_query',
      'filter',
      `There are ${filters.length} filters; ${filtersMax} are allowed.`,
    )
  const words = (text.q ?? '').split(/\s+/u).filter((word) => word !== '')
  if (words.length > wordsMax)
    throw new QueryError('invalid_query', 'q', `There are ${words.length} words; ${wordsMax} are allowed.`)
  const isTaken = columns.some(({ name }) => name === text.sort?.replace(/^-/, ''))
  const order = isTaken ? undefined : orders.get(text.sort ?? '')
  const sort = listed(order === undefined ? text.sort : undefined, 'sort', columns).map(
    ({ column, isMarked }) => {
      if (column.type === 'object' || column.type === 'list')
        throw new QueryError(
          'invalid_query',
          'sort',
          `${quotedField(column)} holds ${column.type === 'object' ? 'an object' : 'a list'} and has no order.`,
        )
      return { column, isDescending: isMarked }
    },
  )
  if (sort.length > sortColumnsMax)
    throw new QueryError('invalid_query', 'sort', `Sort by at most ${sortColumnsMax} columns.`)
  return {
    words,
    filters: filters.map((filter) => readFilter(filter, columns)),
    sort,
    order: order?.by === 'match' && words.length === 0 ? undefined : order,
    columns: text.columns === undefined ? undefined : chosen(text.columns, columns),
    facet: (text.facet ?? []).flatMap((one) => listed(one, 'facet', columns).map(({ column }) => column)),
    limit: Math.min(text.limit ?? rowsUsual, rowsMax),
    offset: text.offset ?? 0,
  }
}

const orders: ReadonlyMap<string, Order> = new Map([
  [matchOrder, { by: 'match', isDescending: false }],
  [numberOrder, { by: 'number', isDescending: false }],
  [`-${numberOrder}`, { by: 'number', isDescending: true }],
])

/** Each once: a column of long texts, many times, would make a CSV file of any size. */
function chosen(text: string, columns: readonly TableColumn[]): FoundColumn[] {
  const found = listed(text, 'columns', columns).map(({ column }) => column)
  const names = new Set<string>()
  for (const column of found) {
    const name = JSON.stringify(column.names)
    if (names.has(name))
      throw new QueryError('invalid_query', 'columns', `${quotedField(column)} is named twice. Name it once.`)
    names.add(name)
  }
  return found
}

/** `<field> <operator> <value>`. A field or value with spaces around it, or with quotes, is written as a JSON string. */
function readFilter(text: string, columns: readonly TableColumn[]): Filter {
  const wrong = (message: string) => new QueryError('invalid_query', 'filter', message)
  const field = readName(text, 0)
  const [, operator, value] = /^\s+(\S+)(?:\s([\s\S]*))?$/.exec(text.slice(field?.end ?? 0)) ?? []
  if (field === undefined || operator === undefined)
    throw wrong(
      `${JSON.stringify(text)} is not a filter. Write a field, an operator and a value: "population gt 1000000".`,
    )
  const column = findColumn(field.names, 'filter', columns)
  if (!isOperator(operator))
    throw wrong(`${JSON.stringify(operator)} is not an operator. Use one of ${operators.join(', ')}.`)
  const allowed = operatorsOf(column)
  if (!allowed.includes(operator))
    throw wrong(`${quotedField(column)} is ${typeWords(column)}; its operators are ${allowed.join(', ')}.`)
  if (operator === 'null' || operator === 'notnull') {
    if (value !== undefined && value.trim() !== '') throw wrong(`"${operator}" takes no value.`)
    return { column, operator, values: [] }
  }
  if (value === undefined) throw wrong(`${JSON.stringify(text)} has no value after "${operator}".`)
  if (operator === 'in') return { column, operator, values: readList(value, column, wrong) }
  return { column, operator, values: [demandValue(value, column)] }
}

function readList(text: string, column: FoundColumn, wrong: (message: string) => QueryError): FilterValue[] {
  let values: unknown
  try {
    values = parseJson(text)
  } catch {
    values = undefined
  }
  if (!Array.isArray(values) || !values.every((value) => value !== null && typeof value !== 'object'))
    throw wrong(`"in" takes a JSON list: ${column.type === 'text' ? '["a", "b"]' : '[1, 2]'}.`)
  if (values.length > inValuesMax) throw wrong(`"in" takes at most ${inValuesMax} values.`)
  return values.map((value) =>
    demandValue(typeof value === 'string' ? JSON.stringify(value) : String(value), column),
  )
}

const comparing = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'] as const
const searching = ['contains', 'starts', 'ends'] as const
const present = ['null', 'notnull'] as const

function operatorsOf({ type }: TableColumn): readonly Operator[] {
  if (type === 'text') return [...comparing, ...searching, ...present]
  if (type === 'boolean' || type === 'file') return ['eq', 'ne', 'in', ...present]
  if (type === 'list') return ['contains', ...present]
  if (type === 'json') return ['contains', ...present]
  if (type === 'object') return present
  return [...comparing, ...present]
}

function demandValue(text: string, column: FoundColumn): FilterValue {
  const type = column.type === 'list' ? column.items! : column.type
  const value = readValue(text, type)
  if (value !== undefined) return value
  throw new QueryError(
    'invalid_query',
    'filter',
    `${JSON.stringify(unquoted(text))} is not ${valueWords[type as ScalarType]}, which ${quotedField(column)} holds.`,
  )
}

const typeWords = ({ type, items }: TableColumn): string =>
  type === 'list'
    ? `a list (${items})`
    : type === 'json'
      ? 'of several types'
      : type === 'object'
        ? 'an object with members'
        : `of type ${type}`

const isOperator = (text: string): text is Operator => (operators as readonly string[]).includes(text)

interface Name {
  readonly names: readonly string[]
  /** Index after the field. */
  readonly end: number
}

/** A field at `from`: a JSON string, or characters up to a space or comma. A JSON string may be followed by `.member`. */
function readName(text: string, from: number): Name | undefined {
  const names: string[] = []
  let at = from
  for (;;) {
    const rest = text.slice(at)
    const [written] = /^"(?:[^"\\]|\\.)*"|^[^\s",]+/.exec(rest) ?? []
    if (written === undefined) return undefined
    names.push(unquoted(written))
    at += written.length
    if (!written.startsWith('"') || text[at] !== '.') return { names, end: at }
    at++
  }
}

/** Fields with commas between them; `-` before one marks it. */
function listed(
  text: string | undefined,
  parameter: string,
  columns: readonly TableColumn[],
): { column: FoundColumn; isMarked: boolean }[] {
  const found: { column: FoundColumn; isMarked: boolean }[] = []
  for (let at = 0; text !== undefined && at <= text.length; at++) {
    const isMarked = parameter === 'sort' && text[at] === '-'
    const name = readName(text, isMarked ? at + 1 : at)
    if (name === undefined || (name.end < text.length && text[name.end] !== ','))
      throw new QueryError(
        'invalid_query',
        parameter,
        `${JSON.stringify(text)} is not a list of fields: write "name,area".`,
      )
    found.push({ column: findColumn(name.names, parameter, columns), isMarked })
    at = name.end
    if (at === text.length) break
  }
  return found
}
