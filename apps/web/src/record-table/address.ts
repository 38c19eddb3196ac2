/** Questions in the URL of the records page, in the grammar of the API, and links to changed ones. docs/queries.md */
import {
  type FoundColumn,
  idColumn,
  type JsonObject,
  numberOrder,
  type Operator,
  type PlainSchema,
  type QueryText,
  readTableQuery,
  type TableColumn,
  type TableQuery,
  tableColumns,
} from '@ulmus/content'
import { rowsLimitMax } from '@ulmus/wire'
import type { VisitedCollection } from '../data/collection.ts'
import { orderedSort } from '../data/records.ts'
import { apiVersionPath, recordPath, versionPath, withQuery } from '../paths.ts'

/** Longer fields are in no form or link, since URLs are limited. Characters. */
export const fieldTextMax = 500

export interface Query {
  /** Words to search for. */
  readonly q: string
  readonly filter: readonly string[]
  /** Undefined: by id, or the best matches of the words first. */
  readonly sort: string | undefined
  readonly offset: number
}

/** A filter in the form. */
export interface Draft {
  /** A field as filters write it. */
  readonly field: string
  readonly op: string
  readonly value: string
}

/** A chart in place of the table. */
export interface ChartParts {
  /** Field along the axis; undefined: one that suits. */
  readonly x: string | undefined
  /** `count`, or a measure with its field: `sum:population`. */
  readonly y: string
  /** Field whose values are the series. */
  readonly by: string | undefined
}

/** A map in place of the table. */
export interface MapParts {
  /** One field, or a latitude and a longitude with a comma between them; undefined: the likeliest. */
  readonly coordinates: string | undefined
}

/** The query of a visit. */
export interface RecordsAddress {
  readonly seen: VisitedCollection
  readonly type: string
  /** Columns of the table. */
  readonly columns: readonly TableColumn[]
  /** Names of the fields that the page shows, as its URL has them; empty: the usual ones. */
  readonly named: readonly string[]
  /** Undefined: the page shows the table or a map. */
  readonly chart: ChartParts | undefined
  /** Undefined: the page shows the table or a chart. */
  readonly map: MapParts | undefined
  /** Fields whose frequent values are listed beside the table; `usual`: some that suit. */
  readonly facets: 'usual' | readonly string[]
  /** True: the profiles of the columns are folded. */
  readonly isFolded: boolean
  /** Fields with bars behind their numbers. */
  readonly bars: readonly string[]
  /** Without the filter of a form that was sent. */
  readonly query: Query
  /** Parsed `sort`; undefined if it is wrong. */
  readonly order: TableQuery['sort'] | undefined
  /** True: all ids are whole numbers, and are listed as numbers. */
  readonly isNumbered: boolean
  /** Filter of a form that was sent. */
  readonly draft: Draft | undefined
}

export function readAddress(
  seen: VisitedCollection,
  type: string,
  { schema, isNumbered }: { schema: PlainSchema; isNumbered: boolean },
  parameters: URLSearchParams,
): RecordsAddress {
  const offset = Number(parameters.get('offset') ?? 0)
  const [field, op, value] = ['field', 'op', 'value'].map((name) => parameters.get(name)?.trim())
  const isSent = field !== undefined || op !== undefined || value !== undefined
  const columns = tableColumns(schema as JsonObject)
  const sort = parameters.get('sort') || undefined
  // Members have `view=public` beside it.
  const views = parameters.getAll('view')
  return {
    seen,
    type,
    columns,
    named: parameters.getAll('columns'),
    chart: views.includes('chart') ? chartIn(parameters) : undefined,
    map: views.includes('map') && !views.includes('chart') ? mapIn(parameters) : undefined,
    facets: parameters.get('facets') === '1' ? 'usual' : parameters.getAll('facet'),
    isFolded: parameters.get('profiles') === '0',
    bars: parameters.getAll('bars').filter((text) => text !== '' && text.length <= fieldTextMax),
    query: {
      q: (parameters.get('q') ?? '').trim(),
      filter: parameters.getAll('filter').filter((filter) => filter.trim() !== ''),
      sort,
      offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    },
    order: parsedQuery({ sort }, columns)?.sort,
    isNumbered: isNumbered && columns.every(({ name }) => name !== numberOrder),
    draft: isSent ? { field: field ?? '', op: op ?? 'eq', value: value ?? '' } : undefined,
  }
}

const chartIn = (parameters: URLSearchParams): ChartParts => ({
  x: parameters.get('x') || undefined,
  y: parameters.get('y') || 'count',
  by: parameters.get('by') || undefined,
})

const mapIn = (parameters: URLSearchParams): MapParts => ({
  coordinates: parameters.get('coordinates') || undefined,
})

export const noQuery: Query = { q: '', filter: [], sort: undefined, offset: 0 }

/** False: the page shows all records, by id. */
export const isQuery = ({ q, filter, sort }: Query): boolean =>
  q !== '' || filter.length > 0 || (sort !== undefined && sort !== numberOrder)

/** Undefined for a query that is wrong. */
export function parsedQuery(text: QueryText, columns: readonly TableColumn[]): TableQuery | undefined {
  try {
    return readTableQuery(text, columns)
  } catch {
    return undefined
  }
}

/** Path of the page with a changed query, from its first record on. */
export function pathTo(address: RecordsAddress, change: Partial<Query> = {}): string {
  const { seen, type, query, named } = address
  const { offset, ...rest } = { ...query, offset: 0, ...change }
  const page = { ...rest, columns: named, ...panelsOf(address), offset: offset === 0 ? undefined : offset }
  return seen.inView(withQuery(versionPath(seen, 'records', type), page))
}

/** The same question about the version that the page shows, whose answer never changes. */
export const fixedAddress = (address: RecordsAddress): RecordsAddress => {
  const { seen } = address
  return { ...address, seen: { ...seen, version: seen.version ?? seen.latest ?? undefined } }
}

/** Parts around the table, or in place of it, as the URL has them. */
const panelsOf = ({ chart, map, facets, isFolded, bars }: RecordsAddress) => ({
  ...(chart !== undefined && {
    view: 'chart',
    x: chart.x,
    y: chart.y === 'count' ? undefined : chart.y,
    by: chart.by,
  }),
  ...(map !== undefined && { view: 'map', coordinates: map.coordinates }),
  ...(facets === 'usual' ? { facets: '1' } : { facet: facets }),
  profiles: isFolded ? '0' : undefined,
  bars,
})

/** Path of a record on the page, with its place in the result of a query. @param index on the page */
export function recordInResult(
  { seen, query, type, isNumbered }: RecordsAddress,
  id: string,
  index: number,
): string {
  const { offset, ...rest } = query
  const path = recordPath(seen, type, id)
  const order = orderedSort(query, isNumbered)
  const sort = order === numberOrder ? order : query.sort
  const isRepeated = (isQuery(query) || sort !== undefined) && !isLong(query)
  return seen.inView(isRepeated ? withQuery(path, { ...rest, sort, at: offset + index }) : path)
}

/** The query and the place of a record in its result, from the URL of the record's page. */
export function resultIn(parameters: URLSearchParams) {
  const query = {
    q: (parameters.get('q') ?? '').trim(),
    filter: parameters.getAll('filter'),
    sort: parameters.get('sort') || undefined,
  }
  const place = Number(parameters.get('at') ?? Number.NaN)
  const isPlace = Number.isSafeInteger(place) && place >= 0
  return isPlace && (isQuery({ ...query, offset: 0 }) || query.sort !== undefined)
    ? { query, place }
    : undefined
}

/** Longer questions are repeated in no link of a cell, bar or value, of which a page has hundreds. Characters. */
const repeatedMax = 1_000

export const isLong = ({ q, filter, sort = '' }: Query): boolean =>
  [q, ...filter, sort].join().length > repeatedMax

/**
 * Path of the page with other filters of a column: those that compare it give way. Undefined if the query is too long to be repeated
 * often.
 */
export function pathWith(
  address: RecordsAddress,
  { text }: { text: string },
  filters: readonly string[],
): string | undefined {
  if (isLong(address.query)) return undefined
  return pathTo(address, { filter: [...filtersBeside(address, [text]), ...filters] })
}

/** The filters of the page without those that compare some fields. */
export const filtersBeside = ({ query, columns }: RecordsAddress, fields: readonly string[]): string[] =>
  query.filter.filter((filter) => {
    const [found] = parsedQuery({ filter }, columns)?.filters ?? []
    return (
      found === undefined ||
      !replaced.has(found.operator) ||
      !fields.includes(fieldText(found.column.names, columns))
    )
  })

const replaced: ReadonlySet<Operator> = new Set(['eq', 'lt', 'le', 'gt', 'ge'])

/** A filter as questions write it. */
export const filterText = (field: string, operator: Operator, value: string): string =>
  `${field} ${operator} ${/^[\s"]|\s$|^$|[\r\n]/.test(value) ? JSON.stringify(value) : value}`

/** Hidden fields for a form, which replaces the query of the URL by its own fields. */
export function keptFields(
  address: RecordsAddress,
  names: readonly ('q' | 'filter' | 'sort' | 'columns')[],
): (readonly [name: string, value: string])[] {
  const { seen, query, named } = address
  const own = { ...query, columns: named }
  const parts = [...names.map((name) => [name, own[name]] as const), ...Object.entries(panelsOf(address))]
  const kept = parts.flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one] as const))
  const view = seen.readsAll && seen.view === 'public' ? [['view', 'public'] as const] : []
  return [...kept.filter(([, value]) => value !== ''), ...view]
}

/** Paths of the result as JSON, of its first `rowsLimitMax` records, and as CSV, and of the whole table as Parquet. */
export function downloadsOf({ seen, type, query, named, columns, isNumbered }: RecordsAddress) {
  const { offset: _, ...rest } = query
  const chosen = named.filter((names) => parsedQuery({ columns: names }, columns) !== undefined)
  const parameters = { ...rest, columns: chosen.length === 0 ? undefined : ['_id', ...chosen].join() }
  const path = (...below: string[]) => seen.inView(apiVersionPath(seen, 'tables', ...below))
  return {
    json: withQuery(path(type, 'rows'), {
      ...parameters,
      sort: orderedSort(query, isNumbered),
      limit: rowsLimitMax,
    }),
    csv: withQuery(path(`${type}.csv`), parameters),
    /** With a byte order mark, without which Excel reads the letters of another alphabet. */
    excel: withQuery(path(`${type}.csv`), { ...parameters, bom: '1' }),
    parquet: path(`${type}.parquet`),
  }
}

/** Path of the column for a property of the schema's root. */
export const pathOf = (property: string): string => `/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Order of the page by a column, and the `sort` of the link in its header: ascending, then descending, then by id. */
export function orderBy(
  { names, type, path }: FoundColumn,
  { order, columns, query, isNumbered }: RecordsAddress,
) {
  if (isNumbered && path === idColumn.path)
    return query.sort === `-${numberOrder}`
      ? ({ state: 'descending', next: undefined } as const)
      : { state: undefined, next: `-${numberOrder}` }
  const text = fieldText(names, columns)
  if (type === 'object' || type === 'list' || text.length > fieldTextMax) return undefined
  const [first] = order ?? []
  if (first?.column.path !== path) return { state: undefined, next: text }
  return first.isDescending
    ? ({ state: 'descending', next: undefined } as const)
    : ({ state: 'ascending', next: `-${text}` } as const)
}

/** A field as questions write it: `name.common`, or JSON strings with dots between them. */
export function fieldText(names: readonly string[], columns: readonly TableColumn[]): string {
  const text = names.join('.')
  const isTaken = names.length > 1 && columns.some(({ name }) => name === text)
  if (!isTaken && names.every((name) => /^[^\s",.-][^\s",.]*$/.test(name))) return text
  return names.map((name) => JSON.stringify(name)).join('.')
}

/** A field for people. */
export const fieldLabel = ({ names }: Pick<FoundColumn, 'names'>): string =>
  names.length === 1 && names[0] === '_id' ? 'id' : names.join('.')
