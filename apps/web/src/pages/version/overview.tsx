/** `/:owner/:slug`: overview of a collection. */

import { fieldsMax, fieldsOf, topicsOf } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import type { Version } from '@ulmus/wire'
import { Fragment } from 'preact'
import { Cite } from '../../components/cite.tsx'
import { collectionFeeds } from '../../components/feed-links.tsx'
import { Badge, Name, ShortHash, Time, Topics } from '../../components/small.tsx'
import { UseIt } from '../../components/use-it.tsx'
import { WorkloadLine } from '../../components/workload.tsx'
import type { CitedVersion } from '../../data/citation.ts'
import { type SeenCollection, type ShownVersion, schemaIn, seeVersion } from '../../data/collection.ts'
import { datasetOf } from '../../data/dataset.ts'
import { licenseOf } from '../../data/licence.ts'
import { pageSignposts } from '../../documents/signposts.ts'
import { bytesText, countText, cutText, hashDigits } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, readJson, type View, type Visit } from '../../page.ts'
import { accountPath, apiCollectionPath, apiVersionPath, collectionPath, versionPath } from '../../paths.ts'
import { readmeOf } from '../../readme/readme.ts'
import { NoVersion } from './overview-empty.tsx'
import { Sample, samplesOf } from './overview-samples.tsx'
import { Verify } from './overview-verify.tsx'

/** Longer descriptions are cut, and messages and licences over `messageMax`. Characters. */
const descriptionMax = 10_000
const messageMax = 1_000
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
  // The browser of a member reads with the member's rights, so it cannot verify the digest of the public view.
  const isOwnView = !seen.isMember || seen.view === 'full'
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
            {readme !== undefined && <article class="prose" dangerouslySetInnerHTML={{ __html: readme }} />}
            {readme === undefined && seen.mayWork && (
              <p class="quiet">
                There is no readme. <a href={collectionPath(seen, 'edit')}>Write one</a>
              </p>
            )}
          </div>
          <aside>
            <About seen={seen} version={version} />
            {isOwnView && <Verify seen={seen} version={version} visit={visit} />}
          </aside>
        </div>
        <UseIt seen={seen} semver={version.semver} type={types[0]?.name} origin={visit.origin} />
        <Cite seen={seen} version={version} origin={visit.origin} />
      </CollectionPage>
    ),
  }
}

export const overview: Page = { show }

const headOf = (seen: SeenCollection) => ({
  title: [`${seen.owner}/${seen.slug}`, seen.version].join(' ').trim(),
  description: seen.description ?? `${seen.name}, a collection of ${seen.owner}.`,
  canonical: versionPath(seen),
  isPublic: seen.isPublic,
  feeds: collectionFeeds(seen),
})

/** If the address names a version, show the description from its own metadata, not from the latest version. */
function descriptionOf(seen: SeenCollection, { metadata: { description } }: CitedVersion): string | null {
  if (seen.version === undefined) return seen.description
  return typeof description === 'string' ? description : null
}

interface ShownType {
  readonly name: string
  readonly count: number
  readonly isPrivate: boolean
  readonly fields: readonly string[]
}

/** Parses the schemas one by one, up to 4 MiB in total, so that other requests get turns of the event loop. */
async function typesOf(version: ShownVersion): Promise<ShownType[]> {
  const types: ShownType[] = []
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

function Types({ seen, types }: { seen: SeenCollection; types: readonly ShownType[] }) {
  const size = types.length > manyTypes ? 'many' : 'few'
  return (
    <section>
      <h2 class="sr-only">Types</h2>
      <div class="table-scroll">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col" class="right">
                Records
              </th>
              <th scope="col">Columns</th>
            </tr>
          </thead>
          <tbody>
            {types.map(({ name, count, isPrivate, fields }) => (
              <tr key={name}>
                <th scope="row">
                  <a href={seen.inView(versionPath(seen, 'records', name))}>
                    <Name of={name} />
                  </a>{' '}
                  {isPrivate && <Badge tone="private">Private</Badge>}
                </th>
                <td class="right number">{countText(count)}</td>
                <td class="quiet names">
                  {fields.slice(0, fieldsNamed[size]).map((field, index) => (
                    <Fragment key={field}>
                      {index > 0 && ', '}
                      <Name of={field} most={nameMax[size]} />
                    </Fragment>
                  ))}
                  {fields.length > fieldsNamed[size] && ` and ${fields.length - fieldsNamed[size]} more`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** A link for SPDX identifiers and addresses. */
const Licence = ({ text }: { text: string }) => {
  const url = licenseOf(text)?.url
  const shown = <bdi>{cutText(text, messageMax)}</bdi>
  return url === undefined ? (
    shown
  ) : (
    <a href={url} rel="license nofollow noopener ugc">
      {shown}
    </a>
  )
}

function About({ seen, version }: { seen: SeenCollection; version: CitedVersion }) {
  const { license } = version.metadata as { license?: unknown }
  return (
    <>
      <h2 class="sr-only">About</h2>
      <dl class="facts-list">
        <dt>Version</dt>
        <dd>
          <a class="semver" href={versionPath({ ...seen, version: version.semver })}>
            {version.semver}
          </a>
          , <Time at={version.createdAt} />
        </dd>
        {version.message !== null && (
          <>
            <dt>Message</dt>
            <dd dir="auto">{cutText(version.message, messageMax)}</dd>
          </>
        )}
        {version.workload !== undefined && (
          <>
            <dt>Published by</dt>
            <dd>
              <WorkloadLine workload={version.workload} />
            </dd>
          </>
        )}
        <dt>Licence</dt>
        <dd>
          {typeof license === 'string' ? <Licence text={license} /> : <span class="quiet">None stated</span>}
        </dd>
        <dt>Records</dt>
        <dd class="number">{countText(version.recordCount)}</dd>
        <dt>Files</dt>
        <dd class="number">{countText(version.fileCount)}</dd>
        <dt>Size</dt>
        <dd>{bytesText(version.totalBytes)}</dd>
        <dt>Owner</dt>
        <dd>
          <a href={accountPath(seen.owner)}>
            <Name of={seen.ownerName} />
          </a>
        </dd>
        {seen.forkedFrom !== undefined && (
          <>
            <dt>Forked from</dt>
            <dd>
              <a href={versionPath(seen.forkedFrom)}>
                {seen.forkedFrom.owner}/{seen.forkedFrom.slug} {seen.forkedFrom.version}
              </a>{' '}
              <a
                href={collectionPath(
                  seen,
                  'compare',
                  seen.forkedFrom.owner,
                  `${seen.forkedFrom.slug}@${seen.forkedFrom.version}...${version.semver}`,
                )}
              >
                what differs
              </a>
            </dd>
          </>
        )}
        <dt>Digest</dt>
        <dd>
          <ShortHash hash={seen.isPublic ? version.publicHash : version.hash} />
        </dd>
        {seen.isPublic && hashDigits(version.hash) !== hashDigits(version.publicHash) && (
          <>
            <dt>For members</dt>
            <dd>
              <ShortHash hash={version.hash} />
            </dd>
          </>
        )}
      </dl>
      <p>
        <a href={`${apiCollectionPath(seen, 'export')}?version=${version.semver}`} download>
          Download (.tar.gz)
        </a>
      </p>
      {seen.mayWork && (
        <p>
          <a href={collectionPath(seen, 'edit')}>Edit description, topics, readme and licence</a>
        </p>
      )}
    </>
  )
}
