/** Questions about the tables of a version, in the view of the caller: docs/tables.md. */
import {
  type FoundColumn,
  type Json,
  type JsonObject,
  QueryError,
  type QueryText,
  readTableQuery,
  type TableColumn,
  type TableQuery,
  tableColumns,
} from '@ulmus/content'
import { JsonText } from '../answers/json-text.ts'
import { selectedTypes } from '../answers/places.ts'
import { countAnswer, readerOf } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { findRecord } from '../records/lookup.ts'
import { streamRecords } from '../records/stream.ts'
import { canonicalOf } from '../stored-leaves/canonical-forms.ts'
import { seeVersion } from '../versions/versions.ts'
import { cellValue, countOf, fieldOf } from './cells.ts'
import { type Engine, EngineError, type EngineRows } from './engine/engine.ts'
import { countStatement, facetStatement, facetValuesMax, pageStatement } from './engine/query-sql.ts'
import { type Ask, readStatistics } from './statistics.ts'
import type { Progress, TableFile, TableFiles, TableSource } from './table-files.ts'

/** A caller waits this long for a table to be built. Milliseconds. */
const patienceMilliseconds = 2_000
/** Facets of one question. */
const facetsMax = 8

export interface TablePath {
  owner: string
  slug: string
  v: string
  type: string
}

/** Answer while the table is being built: the caller asks again. */
export interface Building {
  readonly building: Progress
}

export type Tables = ReturnType<typeof tablesOf>

/** @param installed undefined without DuckDB: every question is refused */
export function tablesOf(context: Context, installed: { engine: Engine; files: TableFiles } | undefined) {
  /** Answers with `work` once the table is there. */
  async function withTable<T>(
    who: Principal,
    path: TablePath,
    read: (columns: readonly TableColumn[]) => (table: TableSource, ask: Ask) => Promise<T>,
  ): Promise<T | Building> {
    const table = await tableOf(context, who, path)
    // A wrong question is refused before anything is built.
    const answer = read(table.columns)
    if (installed === undefined) throw new RegistryError('tables_unavailable')
    const { engine, files } = installed
    const found = await files.find(table)
    const file = 'done' in found ? await within(found.done) : found
    if (file === undefined) return { building: (found as { progress: Progress }).progress }
    try {
      return await answer(table, (statements) => engine.ask(readerOf(who), file.path, statements))
    } catch (error) {
      throw error instanceof EngineError ? refusalOf(error) : error
    }
  }

  return {
    /** A page of the records that match, as they are in the version. @throws unknown_field, invalid_request, busy, too_costly */
    rows: (who: Principal, path: TablePath, text: QueryText) =>
      withTable(who, path, (columns) => {
        const query = readQuery(text, columns)
        return async (table, ask) => {
          const [ids, counts] = await ask([pageStatement(query), countStatement(query)])
          const rows: { id: string; data: JsonText }[] = []
          for (const [id] of ids!) rows.push(await rowOf(context, table, String(id), query, readerOf(who)))
          const total = countOf(counts![0]![0])
          const end = query.offset + rows.length
          return { columns: query.columns ?? columns, rows, total, next: end < total ? end : null }
        }
      }),

    /** The most frequent values of some columns, under the filters of a question. */
    facets: (who: Principal, path: TablePath, { facet, ...text }: QueryText & { facet: readonly string[] }) =>
      withTable(who, path, (columns) => {
        const query = readQuery(text, columns)
        const faceted = facetColumns(facet, columns)
        return async (_table, ask) => {
          const statements = faceted.map((column) => facetStatement(query, column))
          const [counts, ...facets] = await ask([countStatement(query), ...statements])
          return {
            total: countOf(counts![0]![0]),
            facets: facets.map((rows, index) => facetOf(faceted[index]!, rows)),
          }
        }
      }),

    /** Statistics of all columns, over all rows. */
    statistics: (who: Principal, path: TablePath) =>
      withTable(who, path, (columns) => (_table, ask) => readStatistics(columns, ask)),
  }
}

async function tableOf(context: Context, who: Principal, path: TablePath): Promise<TableSource> {
  const { roots } = await seeVersion(context, who, path)
  const [[, entry]] = selectedTypes(roots, path.type) as [[string, (typeof roots.types)[string]]]
  const bytes = await context.objects.plain(entry.schema)
  const schema = JSON.parse(Buffer.from(bytes).toString()) as JsonObject
  return {
    tree: entry,
    schema,
    schemaHash: entry.schema,
    columns: tableColumns(schema),
    lines: () => streamRecords(context, entry, { form: 'canonical', reader: 'tables' }),
  }
}

function readQuery(text: QueryText, columns: readonly TableColumn[]): TableQuery {
  try {
    return readTableQuery(text, columns)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const issues = [{ path: error.parameter, message: error.message }]
    if (error.code === 'unknown_field')
      throw new RegistryError('unknown_field', { say: { reason: error.message }, details: { issues } })
    throw new RegistryError('invalid_request', { say: { reason: error.message }, details: { issues } })
  }
}

function facetColumns(facets: readonly string[], columns: readonly TableColumn[]): readonly FoundColumn[] {
  const found = facets.flatMap((one) => readQuery({ columns: one }, columns).columns ?? [])
  const nested = found.find(({ type }) => type === 'object')
  const message =
    found.length > facetsMax
      ? `At most ${facetsMax} facets.`
      : nested && `"${fieldOf(nested)}" is an object: name one of its members.`
  if (message === undefined) return found
  throw new RegistryError('invalid_request', {
    say: { reason: message },
    details: { issues: [{ path: 'facet', message }] },
  })
}

function facetOf(column: FoundColumn, rows: EngineRows) {
  const type = column.type === 'list' ? { type: column.items! } : column
  const values = rows.map(([value, count]) => ({ value: cellValue(type, value), count: countOf(count) }))
  const distinct = rows.length === 0 ? 0 : countOf(rows[0]![2])
  return { field: fieldOf(column), values, others: Math.max(0, distinct - facetValuesMax) }
}

/** The data of a record as it is in the version, or the chosen columns of it. */
async function rowOf(
  context: Context,
  { tree }: TableSource,
  id: string,
  { columns }: TableQuery,
  reader: string,
): Promise<{ id: string; data: JsonText }> {
  const found = await findRecord(context, tree, id, reader)
  if (found === undefined)
    throw new Error(`The table has a record ${JSON.stringify(id)} that its tree lacks.`)
  countAnswer(found.size)
  const canonical = Buffer.from(await canonicalOf(context.objects, found.line))
  const { data } = JSON.parse(canonical.toString()) as { data: Json }
  const chosen = columns === undefined ? data : chosenOf(data, columns)
  return { id, data: new JsonText(JSON.stringify(chosen)) }
}

const chosenOf = (data: Json, columns: readonly FoundColumn[]): Json =>
  Object.fromEntries(columns.map((column): [string, Json] => [fieldOf(column), valueAt(data, column.path)]))

function valueAt(data: Json, pointer: string): Json {
  let at: Json | undefined = data
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    at =
      typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, name)
        ? at[name]
        : undefined
  }
  return at ?? null
}

/** Undefined if the build takes longer. */
async function within(done: Promise<TableFile>): Promise<TableFile | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patienceMilliseconds)
  })
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}

function refusalOf(error: EngineError): Error {
  if (error.kind === 'failed') return error
  return new RegistryError(error.kind === 'too_costly' ? 'too_costly' : 'busy', { cause: error })
}
