/** Questions of callers as queries, and answers of the engine in the words of the API. */
import {
  type FoundColumn,
  QueryError,
  type QueryText,
  readTableQuery,
  type TableColumn,
  type TableQuery,
} from '@ulmus/content'
import { RegistryError } from '../errors/errors.ts'
import { cellValue, countOf, fieldOf } from './cells.ts'
import type { EngineRows } from './engine/engine.ts'
import { facetValuesMax } from './engine/query-sql.ts'
import type { TablePath } from './find-table.ts'
import type { TableSource } from './table-source.ts'

/** Facets of one question. */
export const facetsMax = 8

/** @throws unknown_field, invalid_request */
export function readQuery(text: QueryText, columns: readonly TableColumn[]): TableQuery {
  try {
    return readTableQuery(text, columns)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const issues = [{ path: error.parameter, message: error.message }]
    const code = error.code === 'unknown_field' ? 'unknown_field' : 'invalid_request'
    throw new RegistryError(code, { say: { reason: error.message }, details: { issues } })
  }
}

/** All columns, as a question names them. Objects are whole. */
export const findWhole = (columns: readonly TableColumn[]): FoundColumn[] =>
  columns.map((column) => ({ ...column, names: [column.name] }))

/** A chosen column as its answer has it: a member is `name.common`. */
export function asChosen(column: FoundColumn): TableColumn {
  const { names: _names, ...plain } = column
  return { ...plain, name: fieldOf(column) }
}

/** @throws invalid_request for too many facets, or an object */
export function demandFacets(facets: readonly FoundColumn[]): void {
  const nested = facets.find(({ type }) => type === 'object')
  const message =
    facets.length > facetsMax
      ? `There are ${facets.length} facets; ${facetsMax} are allowed.`
      : nested && `"${fieldOf(nested)}" is an object: name one of its members.`
  if (message === undefined) return
  throw new RegistryError('invalid_request', {
    say: { reason: message },
    details: { issues: [{ path: 'facet', message }] },
  })
}

/** The most that a facet takes beside its name. Bytes: 30 cut values of 101 characters of up to 6. */
const facetBytes = facetValuesMax * 640

/** The most that facets take. Bytes. */
export const facetsBytes = (facets: readonly FoundColumn[]): number =>
  facets.reduce((sum, column) => sum + facetBytes + 6 * fieldOf(column).length, 0)

/** @returns JSON */
export function facetOf(column: FoundColumn, rows: EngineRows): Buffer {
  const type = column.type === 'list' ? { type: column.items! } : column
  const values = rows.map(([value, count]) => ({ value: cellValue(type, value), count: countOf(count) }))
  const distinct = rows.length === 0 ? 0 : countOf(rows[0]![2])
  const facet = { field: fieldOf(column), values, others: Math.max(0, distinct - facetValuesMax) }
  return Buffer.from(JSON.stringify(facet))
}

/** Name of a question: with its collection, so that equal content of others tells a caller nothing. */
export const questionName = (
  { owner, slug }: TablePath,
  { tree, schemaHash }: TableSource,
  ...question: unknown[]
) => [owner, slug, tree.root, schemaHash, ...question]
