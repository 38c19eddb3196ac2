/** Questions about the tables of a version: pages of rows, facets, statistics, CSV, Parquet and SQL. docs/queries.md. */
import { type Json, parseJson } from '@ulmus/content'
import type { Facets, RowsPage, SqlAnswer, SqlQuestion, TableBuilding, TableStatistics } from '@ulmus/wire'
import { call, requestOf } from './calls.ts'
import { readWhole } from './chunks.ts'
import { readVersion } from './collections.ts'
import { readRetryAfter } from './errors.ts'
import { onward } from './lists.ts'
import { type CollectionRef, versionParts } from './places.ts'
import { sleep } from './retry.ts'
import { type Answer, asFailure, type Call, type Transport } from './transport.ts'

/** Options of calls that may have to wait for a table: the first question about a type makes the registry build it. */
export interface BuildOptions {
  readonly signal?: AbortSignal
  /** Called about once a second while the registry builds the table. */
  readonly onBuilding?: (progress: TableBuilding['building']) => void
}

export interface TableOptions extends BuildOptions {
  /** For members and collaborators: answer as for other readers. */
  readonly view?: 'public'
}

export interface TableFilter extends TableOptions {
  /** Words, each of which must occur in some text of the record. */
  readonly q?: string
  /** `population gt 1000000`, or several filters that must all hold. */
  readonly filter?: string | readonly string[]
}

export interface TableSelection extends TableFilter {
  /** Fields to sort by, `-` for descending: `-population,name` or a list; `_match`: the best matches of `q` first; `_number`: ids that are whole numbers as numbers. Default: by id. */
  readonly sort?: string | readonly string[]
  /** Fields to return: `name,country` or a list. Default: all. */
  readonly columns?: string | readonly string[]
}

export interface RowsOptions extends TableSelection {
  /** Rows per page: at most 1,000, default 100 (`rowsAll`: 1,000). */
  readonly limit?: number
  readonly offset?: number
}

export interface CsvOptions extends TableSelection {
  /** Begin with a byte order mark, which spreadsheets expect. */
  readonly bom?: boolean
}

export interface SqlOptions extends BuildOptions {
  /** Rows of the answer: at most 10,000, which is the default. */
  readonly limit?: number
}
export type SqlTextFormat = Exclude<SqlQuestion['format'], 'json' | undefined>

/** A row of a table. `T` is the type of its data, which the client does not check. */
export interface RowOf<T> {
  readonly id: string
  readonly data: T
}
export type RowsPageOf<T> = Omit<RowsPage, 'rows'> & { rows: RowOf<T>[] }

/** Wait between two attempts if the answer names none. Milliseconds. */
const buildingMs = 1_000
/** Maximum of a 202 answer. Bytes. */
const buildingBytesMax = 65_536

/** Sends a request once. */
type Ask<T> = (request: Call) => Promise<Answer<T | TableBuilding>>

/** Repeats a question until the registry has built the table. */
async function whenBuilt<T>(request: Call, options: BuildOptions, ask: Ask<T>): Promise<T> {
  const { signal, onBuilding } = options
  for (;;) {
    const { status, headers, body } = await ask({ ...request, signal })
    if (status !== 202) return body as T
    onBuilding?.((body as TableBuilding).building)
    await sleep(readRetryAfter(headers.get('retry-after'), Date.now()) ?? buildingMs, signal)
  }
}

/** Parsed answer to a question. */
export const ask = <T>(transport: Transport, request: Call, options: BuildOptions): Promise<T> =>
  whenBuilt<T>(request, options, (one) => transport.json(one))

/** Response to a question, with its body unread. */
export const open = (transport: Transport, request: Call, options: BuildOptions): Promise<Response> =>
  whenBuilt(request, options, async (one) => {
    const { response } = await transport.open(one)
    const { status, headers } = response
    if (status !== 202) return { status, headers, body: response }
    try {
      const bytes = await readWhole(response, transport.timeoutMs, buildingBytesMax)
      return { status, headers, body: parseJson(new TextDecoder().decode(bytes)) as TableBuilding }
    } catch (error) {
      throw asFailure(error, one.path, one.signal)
    }
  })

const filterOf = ({ q, filter, view }: TableFilter) => ({
  q,
  filter: filter === undefined ? undefined : [filter].flat(),
  view,
})

const selectionOf = ({ sort, columns, ...options }: TableSelection) => ({
  ...filterOf(options),
  sort: sort === undefined ? undefined : [sort].flat().join(','),
  columns: columns === undefined ? undefined : [columns].flat().join(','),
})

const tableParts = (ref: CollectionRef, version: string, type: string) => ({
  ...versionParts(ref, version),
  type,
})

const questions = (transport: Transport) => {
  const rows = async <T = Json>(
    ref: CollectionRef,
    version: string,
    type: string,
    options: RowsOptions = {},
  ): Promise<RowsPageOf<T>> => {
    const { limit, offset } = options
    const request = requestOf(
      'GET /api/collections/:owner/:slug/versions/:v/tables/:type/rows',
      tableParts(ref, version, type),
      { query: { ...selectionOf(options), limit, offset } },
    )
    return ask(transport, request, options)
  }

  async function* rowsAll<T = Json>(
    ref: CollectionRef,
    version: string,
    type: string,
    options: RowsOptions = {},
  ): AsyncGenerator<RowOf<T>, void, undefined> {
    const { signal } = options
    const fixed = version === 'latest' ? (await readVersion(transport, ref, version, signal)).semver : version
    const go = onward()
    for (let { offset } = options; ; ) {
      const page = await rows<T>(ref, fixed, type, { limit: 1_000, ...options, offset })
      yield* page.rows
      if (page.next === null) return
      go(page.next)
      offset = page.next
    }
  }

  const facets = async (
    ref: CollectionRef,
    version: string,
    type: string,
    facet: string | readonly string[],
    options: TableFilter = {},
  ): Promise<Facets> => {
    const request = requestOf(
      'GET /api/collections/:owner/:slug/versions/:v/tables/:type/facets',
      tableParts(ref, version, type),
      { query: { facet: [facet].flat(), ...filterOf(options) } },
    )
    return ask(transport, request, options)
  }

  const statistics = async (
    ref: CollectionRef,
    version: string,
    type: string,
    options: TableOptions = {},
  ): Promise<TableStatistics> => {
    const request = requestOf(
      'GET /api/collections/:owner/:slug/versions/:v/tables/:type/statistics',
      tableParts(ref, version, type),
      { query: { view: options.view } },
    )
    return ask(transport, request, options)
  }
  return { rows, rowsAll, facets, statistics }
}

function sqlCall(transport: Transport) {
  type JsonOptions = SqlOptions & { readonly format?: 'json' }
  type TextOptions = SqlOptions & { readonly format: SqlTextFormat }
  function sql(ref: CollectionRef, version: string, text: string, options?: JsonOptions): Promise<SqlAnswer>
  function sql(ref: CollectionRef, version: string, text: string, options: TextOptions): Promise<Response>
  async function sql(
    ref: CollectionRef,
    version: string,
    text: string,
    options: JsonOptions | TextOptions = {},
  ): Promise<SqlAnswer | Response> {
    const { format = 'json', limit } = options
    const request = requestOf(
      'POST /api/collections/:owner/:slug/versions/:v/sql',
      versionParts(ref, version),
      // A statement changes nothing.
      { json: { sql: text, limit, format }, repeatable: true },
    )
    return format === 'json' ? ask<SqlAnswer>(transport, request, options) : open(transport, request, options)
  }
  return sql
}

export const tableCalls = (transport: Transport) => {
  const { rows, rowsAll, facets, statistics } = questions(transport)
  return {
    /** The tables of a version, one for each type, with their columns. */
    list: async (ref: CollectionRef, version = 'latest', { view, signal }: TableOptions = {}) =>
      call(transport, 'GET /api/collections/:owner/:slug/versions/:v/tables', versionParts(ref, version), {
        query: { view },
        signal,
      }),
    /** A page of the rows that match. `next` is the `offset` of the next page. @throws unknown_field, invalid_request, type_not_found */
    rows,
    /** All rows that match, page by page, of the version that is the latest one at the beginning. @throws as `rows` */
    rowsAll,
    /** The most frequent values of fields among the rows that match. @throws as `rows` */
    facets,
    /** Exact statistics of all columns. @throws type_not_found */
    statistics,
    /** The rows that match as CSV. The body is not buffered; reading it rejects if the connection breaks off. @throws as `rows` */
    csv: async (ref: CollectionRef, version: string, type: string, options: CsvOptions = {}) => {
      const request = requestOf(
        'GET /api/collections/:owner/:slug/versions/:v/tables/:type.csv',
        tableParts(ref, version, type),
        { query: { ...selectionOf(options), bom: options.bom ? '1' : undefined } },
      )
      return open(transport, request, options)
    },
    /** The whole table as a Parquet file, whose body is not buffered. @throws type_not_found */
    parquet: async (ref: CollectionRef, version: string, type: string, options: TableOptions = {}) => {
      const request = requestOf(
        'GET /api/collections/:owner/:slug/versions/:v/tables/:type.parquet',
        tableParts(ref, version, type),
        { query: { view: options.view } },
      )
      return open(transport, request, options)
    },
    /**
     * Runs a SELECT statement of DuckDB's SQL, in which each type is a table. With `format`, the body of the response has the rows as CSV,
     * NDJSON or Parquet, and its header `X-Truncated` tells that there are more. @throws invalid_sql, unauthenticated, sql_unavailable, query_too_costly
     */
    sql: sqlCall(transport),
  }
}
