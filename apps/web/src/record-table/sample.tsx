/** First records of the largest types of a version, with the profiles of their columns as far as they are known. */
import { type JsonObject, tableColumns } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import { Name } from '../components/small.tsx'
import { schemaIn, type VersionResponse, type VisitedCollection } from '../data/collection.ts'
import { areNumbered, readFirstNumbers } from '../data/numbered.ts'
import { knownProfiles, type Profiles } from '../data/profiles.ts'
import { labelsOf, readRecords } from '../data/records.ts'
import { counted } from '../format.ts'
import type { Visit } from '../page.ts'
import { versionPath } from '../paths.ts'
import { type RecordsAddress, readAddress } from './address.ts'
import {
  chosenColumns,
  itemsIn,
  type PageColumn,
  pageColumns,
  repeatedId,
  type TableRow,
  tableRows,
  valueIn,
} from './columns.ts'
import { valuesUsual } from './profile.tsx'
import { Table } from './table.tsx'

/** Most types, records and columns. Each type takes a query. */
export interface SampleSize {
  readonly types: number
  readonly records: number
  readonly columns: number
}

export interface SampledType {
  readonly type: string
  readonly count: number
  readonly records: readonly TableRow[]
  readonly columns: readonly PageColumn[]
  readonly repeated: PageColumn | undefined
  readonly profiles: Profiles | undefined
  /** With profiles: their parts are links that filter. */
  readonly address: RecordsAddress | undefined
  /** Labels of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
}

/** Omits types without records. */
export async function samplesOf(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  size: SampleSize,
): Promise<SampledType[]> {
  const samples = await Promise.all(
    Object.entries(version.typeCounts)
      .filter(([, count]) => count > 0)
      .sort(([, a], [, b]) => b - a)
      .slice(0, size.types)
      .map(async ([type, count]): Promise<Omit<SampledType, 'labels'>> => {
        const schema = schemaIn(version, type)!
        const ask = { type, schema, limit: size.records }
        const isNumbered = await areNumbered(visit, seen, type)
        const numbers = isNumbered ? await readFirstNumbers(visit, seen, ask) : undefined
        const page = numbers ?? (await readRecords(visit, seen, ask))
        const profiles = await knownProfiles(visit, seen, type)
        await giveWay()
        const address = profiles && readAddress(seen, type, { schema, isNumbered }, new URLSearchParams())
        const all = pageColumns(schema, tableColumns(schema as JsonObject), page.records, profiles)
        const columns = chosenColumns(all, [], [], page.records).slice(0, size.columns)
        const records = await tableRows(page.records, columns)
        const repeated = repeatedId(all, page.records)
        return { type, count, records, columns, repeated, profiles, address }
      }),
  )
  const labels = await labelsOf(visit, seen, version, samples.flatMap(referencesIn))
  return samples.map((sample) => ({ ...sample, labels }))
}

/** References in the records, and frequent ones of the profiles. */
const referencesIn = ({ records, columns, profiles }: Omit<SampledType, 'labels'>) =>
  columns.flatMap((column) => {
    const { refersTo: type } = column
    if (type === undefined) return []
    const top = profiles?.get(column.label)?.top?.slice(0, valuesUsual) ?? []
    const ids = [
      ...records.flatMap((record) => itemsIn(valueIn(record, column))),
      ...top.map(({ value }) => value),
    ]
    return ids.flatMap((id) => (typeof id === 'string' ? [{ type, id }] : []))
  })

export const Sample = ({ seen, columns, ...sample }: SampledType & { seen: VisitedCollection }) => (
  <section>
    <div class="section-head">
      <h2>
        <Name of={sample.type} most={100} />
      </h2>
      <a href={seen.inView(versionPath(seen, 'records', sample.type))}>
        {sample.count > sample.records.length
          ? `All ${counted(sample.count, 'record')}`
          : 'Search and filter'}
      </a>
    </div>
    <Table {...sample} seen={seen} chosen={columns} />
  </section>
)
