/** Profiles, facets and labels of references around the records of a page. */
import { findColumns } from '@ulmus/content'
import { facetsMax, profiledMax } from '@ulmus/registry'
import type { Facets } from '@ulmus/wire'
import type { VersionResponse } from '../../../data/collection.ts'
import { filesOfRecords, type NamedFile } from '../../../data/files.ts'
import {
  facetColumns,
  type Profiles,
  type References,
  readFacets,
  readLabels,
  readProfiles,
} from '../../../data/profiles.ts'
import type { Visit } from '../../../page.ts'
import { filtersBeside, type RecordsAddress } from '../../../record-table/address.ts'
import { itemsIn, type PageColumn, type TableRow, valueIn } from '../../../record-table/columns.ts'
import type { Question } from './question.tsx'

/** Columns whose frequent values are listed when none is named. */
export const facetsUsual = 5

/** Parts of the page that its table of records does not need. */
export interface Extras {
  /**
   * `computing`: the visitor asked for them, so that the page loads itself again. `later`: they are computed, and the page's script puts them
   * in. `on_request`: the page has a link that computes them.
   */
  readonly profiles: Profiles | 'computing' | 'later' | 'on_request' | 'none'
  /** Frequent values of some columns; empty: the visitor did not open them. */
  readonly facets: readonly { readonly column: PageColumn; readonly facet: Facets['facets'][number] }[]
  /** Columns that have frequent values. */
  readonly grouped: readonly PageColumn[]
  readonly labels: ReadonlyMap<string, string>
  /** True: some of them follow. */
  readonly isPartial: boolean
  /** Files in the table, by hash. */
  readonly files: ReadonlyMap<string, NamedFile>
}

/** A map has none of them. */
export const noExtras: Extras = {
  profiles: 'none',
  facets: [],
  grouped: [],
  labels: new Map(),
  isPartial: false,
  files: new Map(),
}

interface ExtrasAsk {
  readonly address: RecordsAddress
  readonly question: Question
  readonly records: readonly TableRow[]
  readonly all: readonly PageColumn[]
  readonly chosen: readonly PageColumn[]
  readonly profiles: Extras['profiles']
}

export async function readExtras(visit: Visit, version: VersionResponse, ask: ExtrasAsk): Promise<Extras> {
  const { seen, type, query } = ask.address
  const { question, records, profiles } = ask
  const inTable = ask.all.flatMap(({ column }) => column ?? [])
  const known = typeof profiles === 'string' ? undefined : profiles
  const grouped = known === undefined ? [] : facetColumns(inTable, known)
  const columns = ask.all.filter(({ column }) => column !== undefined && grouped.includes(column))
  const opened = openedOf(ask.address, columns)
  const counted = await readFacets(visit, seen, { type, query, facets: opened.map(({ text }) => text) })
  const { address } = ask
  // A single value narrows nothing down, unless a filter left it.
  const facets = counted
    .map((facet, index) => ({ column: opened[index]!, facet }))
    .filter(
      ({ column, facet }) =>
        address.facets !== 'usual' ||
        facet.values.length > 1 ||
        filtersBeside(address, [column.text]).length < query.filter.length,
    )
  const references = [
    ...ask.chosen.map((column) =>
      referencesOf(
        column,
        records.map((record) => valueIn(record, column)),
      ),
    ),
    ...ask.chosen.map((column) =>
      referencesOf(column, known?.get(column.label)?.top?.map(({ value }) => value) ?? []),
    ),
    ...facets.map(({ column, facet }) =>
      referencesOf(
        column,
        facet.values.map(({ value }) => value),
      ),
    ),
  ]
  const { labels, isComplete } = isAnswered(visit, question)
    ? await readLabels(visit, seen, version, byType(references))
    : { labels: new Map(), isComplete: true }
  const isPartial = areAwaited(profiles) || !isComplete
  const cells = records.flatMap((record) => ask.chosen.flatMap((column) => itemsIn(valueIn(record, column))))
  const files = await filesOfRecords(visit, seen, cells)
  return { profiles, facets, grouped: columns, labels, files, isPartial }
}

/** Columns whose frequent values the visitor opened. */
const openedOf = ({ facets }: RecordsAddress, grouped: readonly PageColumn[]): readonly PageColumn[] =>
  facets === 'usual'
    ? grouped.slice(0, facetsUsual)
    : grouped.filter(({ text }) => facets.includes(text)).slice(0, facetsMax)

/** True for profiles that are being computed. */
export const areAwaited = (profiles: Extras['profiles']): boolean =>
  profiles === 'computing' || profiles === 'later'

const isAnswered = (visit: Visit, { state }: Question): boolean =>
  (state === 'none' || state === 'answered') && visit.registry.tables.isAvailable

/** Visitors who are signed in, or follow the link, have large tables built. */
export async function profilesOf(
  visit: Visit,
  { seen, type, columns }: RecordsAddress,
  question: Question,
): Promise<Extras['profiles']> {
  if (!isAnswered(visit, question) || findColumns(columns).length > profiledMax) return 'none'
  const isFollowed = visit.url.searchParams.get('profiles') === '1'
  const isRequested = isFollowed || visit.caller !== undefined
  const profiles = await readProfiles(visit, seen, { type, isRequested })
  return profiles === 'later' && isFollowed ? 'computing' : profiles
}

const referencesOf = ({ refersTo }: PageColumn, values: readonly unknown[]): References => ({
  type: refersTo ?? '',
  ids: refersTo === undefined ? [] : values.flatMap(itemsIn).filter((id) => typeof id === 'string'),
})

function byType(references: readonly References[]): References[] {
  const groups = Map.groupBy(references, ({ type }) => type)
  return Array.from(groups, ([type, all]) => ({ type, ids: all.flatMap(({ ids }) => ids) }))
}
