/** Statistics of columns of numbers and dates before and after, as far as both tables are at hand. */
import { findColumns, type JsonObject, tableColumns } from '@ulmus/content'
import { giveWay, type Principal, profiledMax } from '@ulmus/registry'
import type { ColumnStatistics, Version } from '@ulmus/wire'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import type { VisitedCollection } from '../../../data/collection.ts'
import { readProfiles, soon } from '../../../data/profiles.ts'
import { areQuantities, countText, cutText, roundedText, shownName } from '../../../format.ts'
import { own, type Visit } from '../../../page.ts'
import type { VersionPlace } from '../../../paths.ts'
import { seenAt } from './records.ts'

/** Only the first changed types have statistics: each takes two tables. */
const typesMax = 6
/** Rows of the table. */
const columnsMax = 40

const measured: readonly string[] = ['number', 'integer', 'date', 'date-time']

/** A column before and after. */
interface ColumnPair {
  readonly type: string
  readonly was: ColumnStatistics
  readonly is: ColumnStatistics
}

interface PairAsk {
  readonly who: Principal
  readonly types: readonly string[]
  readonly before: VersionPlace & Pick<Version, 'schemas'>
  readonly after: VersionPlace & Pick<Version, 'schemas'>
}

/** Columns of some types whose statistics differ. Empty while these are being computed: the next visit finds them. */
export async function readPairs(
  visit: Visit,
  seen: VisitedCollection,
  { who, types, before, after }: PairAsk,
): Promise<readonly ColumnPair[]> {
  if (!visit.registry.tables.isAvailable) return []
  const isMeasured = (type: string) =>
    [before, after].every(({ schemas }) => isProfiled(own(schemas, type) as JsonObject | undefined))
  const read = async (type: string): Promise<ColumnPair[]> => {
    const profiles = (place: VersionPlace) =>
      readProfiles(visit, { ...seenAt(seen, place), who }, { type, isRequested: false })
    const [old, next] = await Promise.all([profiles(before), profiles(after)])
    if (typeof old !== 'object' || typeof next !== 'object') return []
    return [...next.values()].flatMap((is) => {
      const was = old.get(is.field)
      return was !== undefined && measured.includes(is.type) && differ(was, is) ? [{ type, was, is }] : []
    })
  }
  const readAll = async (): Promise<ColumnPair[]> => {
    const pairs: ColumnPair[] = []
    // One type at a time: an account may have few questions under way.
    for (const type of types.slice(0, typesMax)) {
      await giveWay()
      if (isMeasured(type)) pairs.push(...(await read(type)))
    }
    return pairs
  }
  return (await soon(readAll())) ?? []
}

function isProfiled(schema: JsonObject | undefined): boolean {
  const columns = schema === undefined ? [] : findColumns(tableColumns(schema))
  return columns.length <= profiledMax && columns.some(({ type }) => measured.includes(type))
}

const facts = ['count', 'distinct', 'min', 'mean', 'max'] as const

const differ = (was: ColumnStatistics, is: ColumnStatistics): boolean =>
  was.type === is.type && facts.some((fact) => was[fact] !== is[fact])

export function Statistics({ pairs }: { pairs: readonly ColumnPair[] }) {
  if (pairs.length === 0) return null
  return (
    <section class="compared">
      <h3>Statistics before and after</h3>
      <DataTable
        class="data"
        label="Statistics before and after"
        items={pairs.slice(0, columnsMax)}
        keyOf={({ type, is }) => `${type} ${is.field}`}
        columns={[columnName, ...facts.map(factColumn)]}
      />
    </section>
  )
}

const columnName: Column<ColumnPair> = {
  header: 'Column',
  cell: ({ type, is }) => <bdi>{cutText(`${shownName(type)}.${shownName(is.field)}`, 100)}</bdi>,
}

const factColumn = (fact: (typeof facts)[number], index: number): Column<ColumnPair> => ({
  header: ['Filled', 'Distinct', 'Min', 'Mean', 'Max'][index],
  isNumber: true,
  cell: (pair) => {
    const bounds = [pair.was, pair.is].flatMap(({ min, max }) => [min, max])
    const isQuantity = areQuantities(pair.is.field, bounds)
    const [was, is] = [factText(pair.was, fact, isQuantity), factText(pair.is, fact, isQuantity)]
    return was === is ? <span class="quiet">{is}</span> : `${was} → ${is}`
  },
})

function factText(
  statistics: ColumnStatistics,
  fact: (typeof facts)[number],
  isQuantity: boolean | undefined,
): string {
  const value = statistics[fact]
  if (value === undefined || value === null) return '–'
  if (typeof value !== 'number') return cutText(String(value), 25)
  if (fact === 'count' || fact === 'distinct') return countText(value)
  return fact === 'mean' && statistics.type.startsWith('date')
    ? dateText(value, statistics.type)
    : roundedText(value, isQuantity)
}

/** @param seconds since 1970 */
function dateText(seconds: number, type: string): string {
  const date = new Date(Math.round(seconds) * 1_000)
  if (Number.isNaN(date.getTime())) return '–'
  return type === 'date' ? date.toISOString().slice(0, 10) : date.toISOString().replace('.000', '')
}
