/** `…/compare/v1.0.0...v1.1.0`: what leads from one version to another, in words and field by field. */
import { RegistryError } from '@ulmus/registry'
import type { DiffPage, Version } from '@ulmus/wire'
import { Empty, Pager } from '../../components/small.tsx'
import { Value } from '../../components/value.tsx'
import { type Change, memberChanges, reasonOf, schemaChanges } from '../../data/changes.ts'
import { readVersion, type SeenCollection, seeCollection, versionOf } from '../../data/collection.ts'
import { bytesText, counted, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { jsonBytes, type Page, Redirect, readJson, type Visit } from '../../page.ts'
import { apiVersionPath, collectionPath, recordPath, withQuery } from '../../paths.ts'

const differencesAPage = 50
/** Text of a changed value is cut here. Characters. */
const valueCharacters = 400
/** A record larger than this is told by its size. Bytes. */
const recordBytesMax = 131_072

/** `…/compare?from=v1.0.0&to=v1.1.0`, as the form on the page of versions sends it. */
export const compareForm: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const query = visit.url.searchParams
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? seen.latest ?? '']
    if (from === '' || to === '') return new Redirect(collectionPath(seen, 'versions'), 302)
    return new Redirect(collectionPath(seen, 'compare', `${from}...${to}`), 302)
  },
}

export const compare: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const [from, to, ...rest] = visit.params['pair']!.split('...')
    if (from === undefined || to === undefined || to === '' || rest.length > 0)
      throw new RegistryError('version_not_found', { say: { version: visit.params['pair'] } })
    const detail = (version: string) => readVersion(visit, { ...seen, version })
    const [before, after] = await Promise.all([detail(from), detail(to)])
    const cursor = cursorIn(visit.url.searchParams)
    const page = await visit.registry.diffs.page(seen.who, versionOf({ ...seen, version: to }), {
      from,
      limit: differencesAPage,
      ...cursor,
    })
    const here = visit.url.pathname
    const diffPath = withQuery(apiVersionPath({ ...seen, version: after.semver }, 'diff'), {
      from: before.semver,
    })
    return {
      title: `${before.semver}...${after.semver} · ${seen.owner}/${seen.slug}`,
      description: `What changed in ${seen.owner}/${seen.slug} from ${before.semver} to ${after.semver}.`,
      isPublic: seen.isPublic,
      json: diffPath,
      body: (
        <CollectionPage seen={seen} tab="versions">
          <div class="section-head">
            <h2>
              <span class="semver">{before.semver}</span> → <span class="semver">{after.semver}</span>
            </h2>
            <span>
              <a href={collectionPath(seen, 'compare', `${after.semver}...${before.semver}`)}>
                The other way round
              </a>{' '}
              · <a href={diffPath}>JSON</a>
            </span>
          </div>
          <p class="quiet">{reasonOf(before.semver, after.semver)}</p>
          {Object.keys(cursor).length === 0 && (
            <Beside seen={seen} before={before} after={after} page={page} />
          )}
          <Differences seen={seen} page={page} before={before} after={after} />
          <Pager
            next={
              page.pagination.nextCursor === null
                ? undefined
                : withQuery(here, { cursor: page.pagination.nextCursor })
            }
            prev={visit.url.searchParams.has('cursor') ? here : undefined}
          />
        </CollectionPage>
      ),
    }
  },
}

/** `?type=City` begins at a type, `?cursor=` where a page before ended. */
function cursorIn(query: URLSearchParams): { cursor?: string } {
  const [cursor, type] = [query.get('cursor'), query.get('type')]
  if (cursor !== null) return { cursor }
  return type === null ? {} : { cursor: Buffer.from(JSON.stringify([type, ''])).toString('base64url') }
}

interface BesideProps {
  seen: SeenCollection
  before: Version
  after: Version
  page: Awaited<ReturnType<Visit['registry']['diffs']['page']>>
}

/** What is not records: totals, schemas, metadata, files. */
function Beside({ seen, before, after, page }: BesideProps) {
  const schemas = page.meta.schemasChanged ? schemaChanges(before.schemas, after.schemas) : []
  const metadata = page.meta.metadataChanged ? memberChanges(before.metadata, after.metadata) : []
  const { totals, filesAdded = [], filesRemoved = [] } = page.meta
  const isNothing =
    totals?.added === 0 &&
    totals.updated === 0 &&
    totals.removed === 0 &&
    schemas.length + metadata.length === 0
  return (
    <>
      {isNothing && filesAdded.length + filesRemoved.length === 0 && (
        <Empty title="Nothing that you may see differs." />
      )}
      <p class="totals">
        {totals === null && 'More than 100,000 records differ.'}
        {totals && (
          <>
            <span class="added">{counted(totals.added, 'record')} added</span>
            <span class="updated">{totals.updated.toLocaleString('en-US')} updated</span>
            <span class="removed">{totals.removed.toLocaleString('en-US')} removed</span>
          </>
        )}
      </p>
      {schemas.length > 0 && (
        <section>
          <h3>Schemas</h3>
          <ul class="sentences">
            {schemas.slice(0, 200).flatMap(({ type, changes }) =>
              changes.slice(0, 100).map((change) => (
                <li key={`${type} ${change}`}>
                  <strong>{type}</strong>: <Words text={change} />
                </li>
              )),
            )}
          </ul>
        </section>
      )}
      {metadata.length > 0 && (
        <section>
          <h3>Metadata</h3>
          <Changes seen={seen} changes={metadata} />
        </section>
      )}
      {filesAdded.length + filesRemoved.length > 0 && (
        <section>
          <h3>Files</h3>
          <p>
            <span class="added">{counted(filesAdded.length, 'file')} added</span>,{' '}
            <span class="removed">{counted(filesRemoved.length, 'file')} removed</span>
          </p>
        </section>
      )}
    </>
  )
}

/** A sentence with its names, between backquotes, as code. */
const Words = ({ text }: { text: string }) => (
  <>
    {text
      .split('`')
      .map((part, index) => (index % 2 === 1 ? <code key={part}>{cutText(part, 100)}</code> : part))}
  </>
)

/** Old and new beside each other. */
const Changes = ({ seen, changes }: { seen: SeenCollection; changes: readonly Change[] }) => (
  <table class="changes">
    <thead class="sr-only">
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Was</th>
        <th scope="col">Is</th>
      </tr>
    </thead>
    <tbody>
      {changes.slice(0, 200).map(({ name, was, is }) => (
        <tr key={name}>
          <th scope="row">{cutText(name, 100)}</th>
          <td class={was === undefined ? 'none' : 'was'}>
            {was !== undefined && <Value value={was} seen={seen} most={valueCharacters} />}
          </td>
          <td class={is === undefined ? 'none' : 'is'}>
            {is !== undefined && <Value value={is} seen={seen} most={valueCharacters} />}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

interface Difference {
  readonly kind: 'added' | 'updated' | 'removed'
  readonly type: string
  readonly id: string
  /** Undefined: too large for a page, or of a record that was removed. */
  readonly data?:
    | { readonly was: Readonly<Record<string, unknown>>; readonly is: Readonly<Record<string, unknown>> }
    | undefined
  readonly bytes: number
}

/** The three lists of a page as one, by type and id. */
function differencesIn(page: BesideProps['page']): Difference[] {
  const read = (text: BesideProps['page']['added'][number], kind: 'added' | 'updated'): Difference => {
    const bytes = jsonBytes(text)
    const { id, type, data, previousData } = readJson<DiffPage['updated'][number]>(text)
    const shown =
      bytes > recordBytesMax ? undefined : { was: (previousData ?? {}) as object, is: data as object }
    return { kind, type, id, bytes, data: shown as Difference['data'] }
  }
  const all = [
    ...page.added.map((text) => read(text, 'added')),
    ...page.updated.map((text) => read(text, 'updated')),
    ...page.removed.map(({ type, id }): Difference => ({ kind: 'removed', type, id, bytes: 0 })),
  ]
  return all.sort((a, b) => (a.type === b.type ? (a.id < b.id ? -1 : 1) : a.type < b.type ? -1 : 1))
}

function Differences({ seen, page, before, after }: BesideProps) {
  const differences = differencesIn(page)
  const types = [...new Set(differences.map(({ type }) => type))]
  return types.map((type) => (
    <section key={type}>
      <h3>{type}</h3>
      {differences
        .filter((one) => one.type === type)
        .map(({ kind, id, data, bytes }) => (
          <article key={id} class={`difference ${kind}`}>
            <h4>
              <span class="kind">{kind}</span>{' '}
              <a
                href={recordPath(
                  { ...seen, version: kind === 'removed' ? before.semver : after.semver },
                  type,
                  id,
                )}
              >
                <bdi>{cutText(id, 120)}</bdi>
              </a>
            </h4>
            {data !== undefined && <Changes seen={seen} changes={memberChanges(data.was, data.is)} />}
            {data === undefined && kind !== 'removed' && (
              <p class="quiet">A large record: {bytesText(bytes)}</p>
            )}
          </article>
        ))}
    </section>
  ))
}
