/**
 * Questions about a table: words, filters, order, columns and a page. One grammar for URLs, pages, the client and the command line
 * (docs/tables.md).
 */
import { distance } from 'fastest-levenshtein'
import type { ScalarType, TableColumn } from './columns.ts'
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

export interface Filter {
  readonly column: FoundColumn
  readonly operator: Operator
  /** One value, several of `in`, none of `null` and `notnull`. */
  readonly values: readonly FilterValue[]
}

/** A column of the table, or a member of an object in it: its names from the outside in. */
export interface FoundColumn extends TableColumn {
  readonly names: readonly string[]
}

export interface TableQuery {
  /** Each must occur in some text column; case and accents do not count. */
  readonly words: readonly string[]
  /** All must hold. */
  readonly filters: readonly Filter[]
  readonly sort: readonly { readonly column: FoundColumn; readonly isDescending: boolean }[]
  /** Undefined: all. */
  readonly columns: readonly FoundColumn[] | undefined
  /** Columns whose values are counted. */
  readonly facet: readonly FoundColumn[]
  readonly limit: number
  readonly offset: number
}

/** The question cannot be answered; the message says which part and what to write instead. */
export class QueryError extends Error {
  readonly code: 'unknown_field' | 'invalid_query'
  /** The query parameter. */
  readonly parameter: string

  constructor(code: QueryError['code'], parameter: string, message: string) {
    super(message)
    this.name = 'QueryError'
    this.code = code
    this.parameter = parameter
  }
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
  const sort = listed(text.sort, 'sort', columns).map(({ column, isMarked }) => {
    if (column.type === 'object' || column.type === 'list')
      throw new QueryError(
        'invalid_query',
        'sort',
        `${quoted(column)} holds ${column.type === 'object' ? 'an object' : 'a list'} and has no order.`,
      )
    return { column, isDescending: isMarked }
  })
  if (sort.length > sortColumnsMax)
    throw new QueryError('invalid_query', 'sort', `Sort by at most ${sortColumnsMax} columns.`)
  return {
    words,
    filters: filters.map((filter) => readFilter(filter, columns)),
    sort,
    columns:
      text.columns === undefined
        ? undefined
        : listed(text.columns, 'columns', columns).map(({ column }) => column),
    facet: (text.facet ?? []).flatMap((one) => listed(one, 'facet', columns).map(({ column }) => column)),
    limit: Math.min(text.limit ?? rowsUsual, rowsMax),
    offset: text.offset ?? 0,
  }
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
    throw wrong(`${quoted(column)} is ${typeWords(column)}; its operators are ${allowed.join(', ')}.`)
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
    values = JSON.parse(text)
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
    `${JSON.stringify(unquoted(text))} is not ${valueWords[type as ScalarType]}, which ${quoted(column)} holds.`,
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
  /** Where the text goes on. */
  readonly end: number
}

/** A field at `from`: a JSON string, or characters up to a space or comma. After a JSON string, `.member` goes on. */
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

/** Fields that an error lists. */
const namedMax = 20

/** `name.common` is a column of this name or else the member `common` of `name`. @throws QueryError unknown_field */
function findColumn(
  names: readonly string[],
  parameter: string,
  columns: readonly TableColumn[],
): FoundColumn {
  const [first = '', ...members] = names
  const own = columns.find(({ name }) => name === first)
  if (own !== undefined && members.length === 0) return { ...own, names: [own.name] }
  const path = own === undefined ? [...first.split('.'), ...members] : names
  let within = columns
  const passed: string[] = []
  let column: TableColumn | undefined
  for (const part of path) {
    column = within.find(({ name }) => name === part)
    if (column === undefined) break
    passed.push(column.name)
    within = column.members ?? []
  }
  if (column !== undefined && passed.length === path.length) return { ...column, names: passed }
  const asked = path.join('.')
  const all = fieldNames(columns)
  const near = nearest(asked, all)
  const some = all.slice(0, namedMax).map((one) => JSON.stringify(one))
  const hint =
    near.length > 0
      ? ` Did you mean ${near.map((one) => JSON.stringify(one)).join(' or ')}?`
      : ` The fields are ${some.join(', ')}${all.length > namedMax ? ' …' : ''}.`
  throw new QueryError('unknown_field', parameter, `There is no field ${JSON.stringify(asked)}.${hint}`)
}

/** All columns, and the members of objects in place of the objects. */
export const findColumns = (columns: readonly TableColumn[], outer: readonly string[] = []): FoundColumn[] =>
  columns.flatMap((column) => {
    const names = [...outer, column.name]
    return column.members === undefined ? [{ ...column, names }] : findColumns(column.members, names)
  })

/** Names of all columns and members, `name.common`. */
export const fieldNames = (columns: readonly TableColumn[]): string[] =>
  columns.flatMap(({ name, members }) => [
    name,
    ...fieldNames(members ?? []).map((member) => `${name}.${member}`),
  ])

/** At most three names that differ little. */
function nearest(asked: string, names: readonly string[]): string[] {
  const wanted = asked.toLowerCase()
  return names
    .map((name) => {
      const at = name.toLowerCase()
      return { name, distance: at.endsWith(`.${wanted}`) ? 0 : distance(at, wanted) }
    })
    .filter((one) => one.distance <= Math.max(2, asked.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

const quoted = ({ names }: FoundColumn): string => JSON.stringify(names.join('.'))
