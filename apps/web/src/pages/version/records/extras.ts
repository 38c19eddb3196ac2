/** Profiles, facets and labels of references around the records of a page. */
import type { Facets } from '@ulmus/wire'
import type { ShownVersion } from '../../../data/collection.ts'
import {
  facetColumns,
  type ProfilesAnswer,
  profiledMax,
  type References,
  readFacets,
  readLabels,
  readProfiles,
} from '../../../data/profiles.ts'
import type { TableRecord } from '../../../data/records.ts'
import type { Visit } from '../../../page.ts'
import { type PageColumn, valueIn } from './columns.ts'
import type { Asked } from './url.ts'

/** Parts of the page that its table of records does not need. */
export interface Extras {
  readonly profiles: ProfilesAnswer
  readonly facets: readonly { readonly column: PageColumn; readonly facet: Facets['facets'][number] }[]
  readonly labels: ReadonlyMap<string, string>
}

interface ExtrasAsk {
  readonly asked: Asked
  readonly records: readonly TableRecord[]
  /** False: the page shows a refusal or the progress of a table. */
  readonly isSettled: boolean
  readonly all: readonly PageColumn[]
  readonly chosen: readonly PageColumn[]
  /** True: build a large table for the profiles. */
  readonly isRequested: boolean
}

export async function readExtras(visit: Visit, version: ShownVersion, ask: ExtrasAsk): Promise<Extras> {
  const { seen, type, question } = ask.asked
  const { records } = ask
  const isSettled = ask.isSettled && visit.registry.tables.isAvailable
  const inTable = ask.all.flatMap(({ column }) => column ?? [])
  const isWide = inTable.length > profiledMax
  const { isRequested } = ask
  const profiles = isSettled && !isWide ? await readProfiles(visit, seen, { type, isRequested }) : 'none'
  const known = typeof profiles === 'string' ? undefined : profiles
  const grouped = known === undefined ? [] : facetColumns(inTable, known)
  const columns = ask.all.filter(({ column }) => column !== undefined && grouped.includes(column))
  const counted = await readFacets(visit, seen, { type, question, facets: columns.map(({ text }) => text) })
  const facets = counted.map((facet, index) => ({ column: columns[index]!, facet }))
  const references = [
    ...ask.chosen.map((column) =>
      referencesOf(
        column,
        records.map(({ data }) => valueIn(data, column)),
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
  const labels = isSettled ? await readLabels(visit, seen, version, byType(references)) : new Map()
  return { profiles, facets, labels }
}

const referencesOf = ({ refersTo }: PageColumn, values: readonly unknown[]): References => ({
  type: refersTo ?? '',
  ids: refersTo === undefined ? [] : values.flat().filter((id) => typeof id === 'string'),
})

function byType(references: readonly References[]): References[] {
  const groups = Map.groupBy(references, ({ type }) => type)
  return Array.from(groups, ([type, all]) => ({ type, ids: all.flatMap(({ ids }) => ids) }))
}
