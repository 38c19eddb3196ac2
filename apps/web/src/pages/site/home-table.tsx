/** The live table of the home page: records of a public collection whose table is there already. Nothing is built for it. */
import type { CollectionItem } from '@ulmus/wire'
import { Name } from '../../components/small.tsx'
import { seeVersion, type VisitedCollection } from '../../data/collection.ts'
import { leniently } from '../../data/profiles.ts'
import { counted } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'
import { type SampledType, samplesOf } from '../../record-table/sample.tsx'
import { Table } from '../../record-table/table.tsx'

const size = { types: 1, records: 8, columns: 6 }
/** Collections that are tried. Each takes some 10 ms. */
const triedMax = 4
/** Profiles of fewer records say little. */
const recordsMin = 20

export interface LiveTable {
  readonly seen: VisitedCollection
  readonly sample: SampledType
}

/** The first of some collections with known profiles, without forks. */
export async function liveTable(
  visit: Visit,
  items: readonly CollectionItem[],
): Promise<LiveTable | undefined> {
  const candidates = items.filter(({ fork, recordCount }) => !fork && (recordCount ?? 0) >= recordsMin)
  for (const { ownerSlug: owner, slug } of candidates.slice(0, triedMax)) {
    const found = await leniently(async () => {
      const url = new URL(versionPath({ owner, slug }), visit.url)
      const { seen, version } = await seeVersion({ ...visit, url, params: { owner, slug } })
      const [sample] = version === null ? [] : await samplesOf(visit, seen, version, size)
      return sample?.profiles === undefined ? undefined : { seen, sample }
    })
    if (found !== undefined) return found
  }
  return undefined
}

export const Live = ({ seen, sample: { columns, ...sample } }: LiveTable) => (
  <section>
    <div class="section-head">
      <h2>
        <a href={versionPath(seen)}>
          <Name of={seen.name} />
        </a>
      </h2>
      <a href={versionPath(seen, 'records', sample.type)}>All {counted(sample.count, 'record')}</a>
    </div>
    <p class="quiet">
      {seen.owner}/{seen.slug}, {seen.latest}. A press on a bar or a value filters, one on a heading sorts.
    </p>
    <Table {...sample} seen={seen} chosen={columns} />
  </section>
)
