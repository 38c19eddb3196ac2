/** First records of some types, on the overview page. */
import { type JsonObject, tableColumns } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import { Name } from '../../components/small.tsx'
import { type SeenCollection, type ShownVersion, schemaIn } from '../../data/collection.ts'
import { knownProfiles, type Profiles } from '../../data/profiles.ts'
import { labelsOf, readRecords, type ShownRecord } from '../../data/records.ts'
import { counted } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'
import { chosenColumns, type PageColumn, pageColumns, valueIn } from './records/columns.ts'
import { valuesUsual } from './records/profile.tsx'
import { Table } from './records/table.tsx'
import { type Asked, readAsked } from './records/url.ts'

/** Types whose first records the page shows, the largest ones. Each takes a query. */
const samplesMax = 3
const sampleRecords = 5
const sampleColumns = 5

interface SampledType {
  readonly type: string
  readonly count: number
  readonly records: readonly ShownRecord[]
  readonly columns: readonly PageColumn[]
  readonly profiles: Profiles | undefined
  /** With profiles: their parts are links that filter. */
  readonly asked: Asked | undefined
  /** Labels of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
}

/** Omits types without records. */
export async function samplesOf(
  visit: Visit,
  seen: SeenCollection,
  version: ShownVersion,
  types: readonly { readonly name: string; readonly count: number }[],
): Promise<SampledType[]> {
  const samples = await Promise.all(
    types
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .slice(0, samplesMax)
      .map(async ({ name: type, count }): Promise<Omit<SampledType, 'labels'>> => {
        const schema = schemaIn(version, type)!
        const { records } = await readRecords(visit, seen, { type, schema, limit: sampleRecords })
        const profiles = await knownProfiles(visit, seen, type)
        await giveWay()
        const asked = profiles && readAsked(seen, type, schema, new URLSearchParams())
        const all = pageColumns(schema, tableColumns(schema as JsonObject), records)
        const columns = chosenColumns(all, [], []).slice(0, sampleColumns)
        return { type, count, records, columns, profiles, asked }
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
      ...records.flatMap(({ data }) => [valueIn(data, column)].flat()),
      ...top.map(({ value }) => value),
    ]
    return ids.flatMap((id) => (typeof id === 'string' ? [{ type, id }] : []))
  })

export const Sample = ({ seen, columns, ...sample }: SampledType & { seen: SeenCollection }) => (
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
