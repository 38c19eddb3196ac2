/** `/:owner/:slug`: overview of a collection. */

import { fieldsMax, fieldsOf, type JsonObject, parseSemver, tableColumns, topicsOf } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import type { Strip as StripAnswer, Version } from '@ulmus/wire'
import { Fragment } from 'preact'
import { DataTable } from '../../components/data-table.tsx'
import { Badge, Name, Topics } from '../../components/small.tsx'
import { hasChanges, Strip } from '../../components/strip/strip.tsx'
import { codeColumns } from '../../components/table-code.ts'
import { Cite, UseIt } from '../../components/use-it.tsx'
import type { CitedVersion } from '../../data/citation.ts'
import { schemaIn, seeVersion, type VersionResponse, type VisitedCollection } from '../../data/collection.ts'
import { knownProfiles, type Profiles } from '../../data/profiles.ts'
import { labelsOf, readRecords } from '../../data/records.ts'
import { datasetOf, pageSignposts } from '../../documents/signposts.ts'
import { counted, countText, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, readJson, type View, type Visit } from '../../page.ts'
import {
  apiCollectionPath,
  apiVersionPath,
  collectionFeeds,
  collectionPath,
  versionPath,
} from '../../paths.ts'
import { readmeOf } from '../../readme/readme.ts'
import { type RecordsAddress, readAddress } from '../../record-table/address.ts'
import {
  chosenColumns,
  itemsIn,
  type PageColumn,
  pageColumns,
  repeatedId,
  type TableRow,
  tableRows,
  valueIn,
} from '../../record-table/columns.ts'
import { valuesUsual } from '../../record-table/profile.tsx'
import { Table } from '../../record-table/table.tsx'
import { About, Verify } from './overview-about.tsx'
import { NoVersion } from './overview-empty.tsx'

/** Longer descriptions are cut. Characters. */
const descriptionMax = 10_000
/** Number of fields named for each type, and maximum length of a name in characters; `many`: with more than `manyTypes` types. */
const fieldsNamed = { few: 12, many: 4 }
const nameMax = { few: 60, many: 20 }
const manyTypes = 100

const show = async (visit: Visit): Promise<View> => {
  const { seen: collection, version: read } = await seeVersion(visit)
  if (read === null) {
    const body = (
      <CollectionPage seen={collection} tab="overview">
        <NoVersion seen={collection} origin={visit.origin} />
      </CollectionPage>
    )
    return { ...headOf(collection), json: apiCollectionPath(collection), body }
  }
  const version = { ...read, metadata: readJson<Version['metadata']>(read.metadata) }
  const seen = { ...collection, description: descriptionOf(collection, version) }
  const types = await typesOf(read)
  const samples = await samplesOf(visit, seen, read, types)
  const example = types[0] && { ...types[0], columns: await columnsOf(visit, read, types[0].name) }
  // The browser of a member reads with the member's rights, so it cannot verify the digest of the public view.
  const isOwnView = !seen.isMember || seen.view === 'full'
  const family = await visit.registry.forks.family(seen.who, seen)
  const strip = await visit.registry.strips.read(seen.who, seen, {
    until: parseSemver(read.semver),
    most: stripBounds,
    ofNewest: true,
  })
  const readme = await readmeOf(version.metadata['readme'], seen, visit)
  return {
    ...headOf(seen),
    json: apiVersionPath(seen),
    links: pageSignposts(seen, read, visit),
    islands: isOwnView ? ['verify-version'] : [],
    ...(seen.isPublic ? { dataset: datasetOf(seen, version, visit.origin) } : {}),
    body: (
      <CollectionPage seen={seen} tab="overview">
        <div class="columns">
          <div>
            {seen.description !== null && (
              <p class="lead" dir="auto">
                {cutText(seen.description, descriptionMax)}
              </p>
            )}
            <Topics topics={topicsOf(version.metadata)} />
            <Types seen={seen} types={types} />
            {samples.map((sample) => (
              <Sample key={sample.type} seen={seen} {...sample} />
            ))}
            <History seen={seen} strip={strip} />
            {readme !== undefined && <article class="prose" dangerouslySetInnerHTML={{ __html: readme }} />}
            {readme === undefined && seen.mayWork && (
              <p class="quiet">
                There is no readme. <a href={collectionPath(seen, 'edit')}>Write one</a>
              </p>
            )}
          </div>
          <aside>
            <About {...{ seen, version, family }} />
            {isOwnView && <Verify seen={seen} version={version} visit={visit} />}
          </aside>
        </div>
        <UseIt seen={seen} semver={version.semver} type={example} origin={visit.origin} />
        <Cite seen={seen} version={version} origin={visit.origin} />
      </CollectionPage>
    ),
  }
}

export const overview: Page = { show }

const headOf = (seen: VisitedCollection) => ({
  title: [`${seen.owner}/${seen.slug}`, seen.version].join(' ').trim(),
  description: seen.description ?? `${seen.name}, a collection of ${seen.owner}.`,
  canonical: versionPath(seen),
  isPublic: seen.isPublic,
  feeds: collectionFeeds(seen),
})

/** If the address names a version, show the description from its own metadata, not from the latest version. */
function descriptionOf(seen: VisitedCollection, { metadata: { description } }: CitedVersion): string | null {
  if (seen.version === undefined) return seen.description
  return typeof description === 'string' ? description : null
}

interface TypeSummary {
  readonly name: string
  readonly count: number
  readonly isPrivate: boolean
  readonly fields: readonly string[]
}

/** Parses the schemas one by one, up to 4 MiB in total, so that other requests get turns of the event loop. */
async function typesOf(version: VersionResponse): Promise<TypeSummary[]> {
  const types: TypeSummary[] = []
  for (const name of Object.keys(version.schemas)) {
    const schema = schemaIn(version, name)!
    await giveWay()
    types.push({
      name,
      count: version.typeCounts[name] ?? 0,
      isPrivate: schema['private'] === true,
      fields: fieldsOf(schema, fieldsMax).map((field) => field.name),
    })
    await giveWay()
  }
  return types
}

/** Columns of the table of a type, read in a turn of its own. Undefined: this server makes no tables. */
async function columnsOf(visit: Visit, version: VersionResponse, type: string) {
  if (!visit.registry.tables.isAvailable) return undefined
  await giveWay()
  const columns = codeColumns(tableColumns(schemaIn(version, type) as JsonObject), [])
  await giveWay()
  return columns
}

function Types({ seen, types }: { seen: VisitedCollection; types: readonly TypeSummary[] }) {
  const size = types.length > manyTypes ? 'many' : 'few'
  return (
    <section>
      <h2 class="sr-only">Types</h2>
      <DataTable
        class="data"
        items={types}
        keyOf={({ name }) => name}
        columns={[
          {
            header: 'Type',
            cell: ({ name, isPrivate }) => (
              <>
                <a href={seen.inView(versionPath(seen, 'records', name))}>
                  <Name of={name} />
                </a>{' '}
                {isPrivate && <Badge tone="private">Private</Badge>}
              </>
            ),
          },
          { header: 'Records', isNumber: true, cell: ({ count }) => countText(count) },
          {
            header: 'Columns',
            class: 'quiet names',
            cell: ({ fields }) => <FieldNames fields={fields} size={size} />,
          },
        ]}
      />
    </section>
  )
}

const FieldNames = ({ fields, size }: { fields: readonly string[]; size: 'few' | 'many' }) => (
  <>
    {fields.slice(0, fieldsNamed[size]).map((field, index) => (
      <Fragment key={field}>
        {index > 0 && ', '}
        <Name of={field} most={nameMax[size]} />
      </Fragment>
    ))}
    {fields.length > fieldsNamed[size] && ` and ${fields.length - fieldsNamed[size]} more`}
  </>
)

/** Versions and columns of the strip. */
const stripBounds = { versions: 30, columns: 5 }

function History({ seen, strip }: { seen: VisitedCollection; strip: StripAnswer }) {
  if (!hasChanges(strip)) return null
  return (
    <section>
      <div class="section-head">
        <h2>What changed</h2>
        <a href={seen.inView(collectionPath(seen, 'versions'))}>All versions</a>
      </div>
      <Strip seen={seen} strip={strip} isSmall />
    </section>
  )
}

/** Types whose first records the page shows, the largest ones. Each takes a query. */
const samplesMax = 3
const sampleRecords = 5
const sampleColumns = 5

interface SampledType {
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
async function samplesOf(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  types: readonly { readonly name: string; readonly count: number }[],
): Promise<SampledType[]> {
  const samples = await Promise.all(
    types
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .slice(0, samplesMax)
      .map(async ({ name: type, count }): Promise<Omit<SampledType, 'labels'>> => {
        const schema = schemaIn(version, type)!
        const page = await readRecords(visit, seen, { type, schema, limit: sampleRecords })
        const profiles = await knownProfiles(visit, seen, type)
        await giveWay()
        const address = profiles && readAddress(seen, type, schema, new URLSearchParams())
        const all = pageColumns(schema, tableColumns(schema as JsonObject), page.records, profiles)
        const columns = chosenColumns(all, [], [], page.records).slice(0, sampleColumns)
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

const Sample = ({ seen, columns, ...sample }: SampledType & { seen: VisitedCollection }) => (
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
