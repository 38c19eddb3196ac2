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
import { datasetOf, pageSignposts } from '../../documents/signposts.ts'
import { countText, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, readJson, type View, type Visit } from '../../page.ts'
import {
  apiCollectionPath,
  apiVersionPath,
  collectionFeeds,
  collectionPath,
  pathInVersion,
  versionPath,
} from '../../paths.ts'
import { readmeOf } from '../../readme/readme.ts'
import { Sample, samplesOf } from '../../record-table/sample.tsx'
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
  const readers =
    collection.isPublic || collection.view === 'public'
      ? undefined
      : await visit.registry.collaborators.counts(collection.who, collection)
  if (read === null) {
    const body = (
      <CollectionPage seen={collection} tab="overview" readers={readers}>
        <NoVersion seen={collection} origin={visit.origin} />
      </CollectionPage>
    )
    return { ...headOf(collection), json: apiCollectionPath(collection), body }
  }
  const version = { ...read, metadata: readJson<Version['metadata']>(read.metadata) }
  const seen = { ...collection, description: descriptionOf(collection, version) }
  const types = await typesOf(read)
  const samples = await samplesOf(visit, seen, read, { types: 3, records: 5, columns: 5 })
  const example = types[0] && { ...types[0], columns: await columnsOf(visit, read, types[0].name) }
  // The browser of a member reads with the member's rights, so it cannot verify the digest of the public view.
  const isOwnView = !seen.readsAll || seen.view === 'full'
  const family = await visit.registry.forks.family(seen.who, seen)
  const strip = await visit.registry.strips.read(seen.who, seen, {
    until: parseSemver(read.semver),
    most: stripBounds,
    ofNewest: true,
  })
  const readme = await readmeOf(version.metadata['readme'], seen, visit)
  return {
    ...headOf(seen),
    onPaper: pathInVersion(seen, version.semver, visit.url),
    json: apiVersionPath(seen),
    links: pageSignposts(seen, read, visit),
    islands: isOwnView ? ['verify-version'] : [],
    ...(seen.isPublic ? { dataset: datasetOf(seen, version, visit.origin) } : {}),
    body: (
      <CollectionPage seen={seen} tab="overview" readers={readers}>
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
            {readme === undefined && seen.may('write') && (
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
