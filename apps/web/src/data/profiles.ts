/** Statistics of the columns of a table, frequent values of some, and labels of referenced records. */
import { type FoundColumn, fieldsMax, fieldsOf, type QueryText, tellingField } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import type { ColumnStatistics, Facets, TableStatistics } from '@ulmus/wire'
import { jsonBytes, readJson, type Visit } from '../page.ts'
import { schemaIn, type VersionResponse, type VisitedCollection, versionOf } from './collection.ts'
import { nameOf } from './records.ts'

/** A page waits this long for statistics. Milliseconds. */
const patience = 700
/** More different values are a list to search in, not to choose from. */
const facetValuesMax = 1_000
/** A facet column has values in this share of the records at least. */
const facetFill = 0.2
/** Maximum number of referenced records of a type whose labels are read. */
const labelsMax = 200
/** Longer labels are not parsed. Bytes. */
const labelBytesMax = 4_096

/** Statistics of more columns than have profiles are not read. Bytes. */
export const readBytesMax = 1_048_576

/** Statistics by field, `name.common`. */
export type Profiles = ReadonlyMap<string, ColumnStatistics>

/** `later`: they are being computed. `on_request`: a large table must be built first. `none`: this version or server has none. */
export type ProfilesAnswer = Profiles | 'later' | 'on_request' | 'none'

/** @param isRequested builds a large table too */
export async function readProfiles(
  { registry }: Visit,
  seen: VisitedCollection,
  { type, isRequested }: { type: string; isRequested: boolean },
): Promise<ProfilesAnswer> {
  const path = { ...versionOf(seen), type }
  const found = await leniently(async (): Promise<ProfilesAnswer> => {
    if (!isRequested && !(await registry.tables.answersSoon(seen.who, path)))
      return (await registry.tables.isBuilding(seen.who, path)) ? 'later' : 'on_request'
    const answer = await soon(registry.tables.statistics(seen.who, path))
    if (answer === undefined || 'building' in answer) return 'later'
    return byField(readJson<TableStatistics>(answer))
  })
  return found ?? 'none'
}

/** Profiles that cost nothing: statistics that were computed before. */
export async function knownProfiles(
  { registry }: Visit,
  seen: VisitedCollection,
  type: string,
): Promise<Profiles | undefined> {
  const known = await leniently(() => registry.tables.knownStatistics(seen.who, { ...versionOf(seen), type }))
  return known && jsonBytes(known) <= readBytesMax ? byField(readJson<TableStatistics>(known)) : undefined
}

/** The bounds of all numbers of a column if they are known, else those that a page has. */
export const knownNumbers = (
  statistics: ColumnStatistics | undefined,
  values: () => readonly unknown[],
): readonly unknown[] => (typeof statistics?.min === 'number' ? [statistics.min, statistics.max] : values())

const byField = ({ columns }: TableStatistics): Profiles =>
  new Map(columns.map((column) => [column.field, column]))

/** Columns whose values divide the records into groups, in their order. */
export function facetColumns(columns: readonly FoundColumn[], profiles: Profiles): FoundColumn[] {
  const divides = (column: FoundColumn): boolean => {
    const { count, nulls, distinct } = profiles.get(column.names.join('.')) ?? {}
    if (count === undefined || nulls === undefined || distinct === undefined) return false
    const isGrouped = distinct >= 2 && distinct <= facetValuesMax && distinct * 2 <= count
    return isGrouped && count >= (count + nulls) * facetFill
  }
  const types = ['text', 'boolean', 'integer', 'list']
  return columns.filter((column) => types.includes(column.type) && divides(column))
}

/** Counts among the records that match. @param facets fields as questions write them */
export async function readFacets(
  { registry }: Visit,
  seen: VisitedCollection,
  { type, query, facets }: { type: string; query: QueryText; facets: readonly string[] },
): Promise<Facets['facets']> {
  if (facets.length === 0) return []
  const path = { ...versionOf(seen), type }
  const { q, filter } = query
  const answer = await leniently(() => registry.tables.facets(seen.who, path, { q, filter, facet: facets }))
  return answer === undefined || 'building' in answer ? [] : readJson<Facets>(answer).facets
}

/** Ids of one type of records. */
export interface References {
  readonly type: string
  readonly ids: readonly string[]
}

export interface Labels {
  /** By `type/id`. */
  readonly labels: ReadonlyMap<string, string>
  /** False: a table is being built that has more of them. */
  readonly isComplete: boolean
}

/** Labels of referenced records, as far as a table answers soon. */
export async function readLabels(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  references: readonly References[],
): Promise<Labels> {
  const labels = new Map<string, string>()
  let isComplete = true
  for (const { type, ids } of references) {
    const schema = schemaIn(version, type)
    const telling = schema && tellingField(fieldsOf(schema, fieldsMax))
    if (telling === undefined || ids.length === 0) continue
    const path = { ...versionOf(seen), type }
    const some = [...new Set(ids)].slice(0, labelsMax)
    const question = {
      filter: `_id in ${JSON.stringify(some)}`,
      columns: JSON.stringify(telling),
      limit: some.length,
    }
    const { tables } = visit.registry
    const answer = await leniently(async () => {
      if (!(await tables.answersSoon(seen.who, path)))
        return (await tables.isBuilding(seen.who, path)) ? 'later' : undefined
      return (await soon(tables.rows(seen.who, path, question))) ?? 'later'
    })
    if (answer === undefined) continue
    if (answer === 'later' || 'building' in answer) {
      isComplete = false
      continue
    }
    for (const { id, data } of answer.rows) {
      // A label may have megabytes: the id is shown instead.
      if (jsonBytes(data) > labelBytesMax) continue
      const label = nameOf({ data: readJson<unknown>(data) }, telling)
      if (label !== undefined) labels.set(`${type}/${id}`, label)
    }
  }
  return { labels, isComplete }
}

/** Undefined for refusals: a page is complete without what it decorates. */
export async function leniently<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof RegistryError) return undefined
    throw error
  }
}

/** Undefined if it takes longer. The work is not cancelled, so that the next visit finds the answer. */
export async function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, patience, undefined)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}
