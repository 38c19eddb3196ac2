/** `…/compare/v1.0.0...v1.1.0`: differences between two versions, in sentences and field by field. */
import { Moved, type Principal, RegistryError } from '@ulmus/registry'
import type { Version } from '@ulmus/wire'
import { Changes, type DiffAnswer, Differences } from '../../components/differences.tsx'
import { Select } from '../../components/form.tsx'
import { Empty, Pager, Words } from '../../components/small.tsx'
import { memberChanges } from '../../data/changes.ts'
import { publicly, type SeenCollection, seeCollection } from '../../data/collection.ts'
import { counted, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, readJson, type Visit } from '../../page.ts'
import { apiVersionPath, type CollectionName, collectionPath, withQuery } from '../../paths.ts'

/** Records per page. */
const differencesAPage = 50

/** `…/compare?from=v1.0.0&to=v1.1.0`, as sent by the form on the page of versions. */
export const compareForm: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const query = visit.url.searchParams
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? seen.latest ?? '']
    if (from === '' || to === '') return new Redirect(seen.inView(collectionPath(seen, 'versions')), 302)
    return new Redirect(seen.inView(collectionPath(seen, 'compare', `${from}...${to}`)), 302)
  },
}

export const compare: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const { other, from, to } = pairIn(visit.params)
    const who = other === undefined ? seen.who : await readerOfBoth(visit, seen, other)
    if (who instanceof Moved) return new Redirect(fromMoved(visit, seen, who), 308)
    const detail = async (place: CollectionName, v: string) =>
      readJson<Version>(
        await visit.registry.versions.detail(who, { owner: place.owner, slug: place.slug, v }),
      )
    const [before, after] = await Promise.all([detail(other ?? seen, from), detail(seen, to)])
    const query = visit.url.searchParams
    const asked = askedIn(query)
    const fromName = `${other === undefined ? '' : `${other.owner}/${other.slug}@`}${before.semver}`
    const page = await visit.registry.diffs.page(
      who,
      { owner: seen.owner, slug: seen.slug, v: after.semver },
      { from: fromName, limit: differencesAPage, ...asked },
    )
    const here = visit.url.pathname
    const diffPath = withQuery(apiVersionPath({ ...seen, version: after.semver }, 'diff'), { from: fromName })
    const { cursor: _, ...narrowed } = asked
    const linesPath = withQuery(apiVersionPath({ ...seen, version: after.semver }, 'diff.ndjson'), {
      from: fromName,
      ...narrowed,
    })
    return {
      title: `${fromName}...${after.semver} · ${seen.owner}/${seen.slug}`,
      description: `What differs in ${seen.owner}/${seen.slug} ${after.semver} from ${fromName}.`,
      isPublic: seen.isPublic,
      json: diffPath,
      body: (
        <CollectionPage seen={seen} tab="versions">
          <div class="section-head">
            <h2>
              <span class="semver">{fromName}</span> → <span class="semver">{after.semver}</span>
            </h2>
            <span>
              <a href={theOtherWay(seen, other, before.semver, after.semver)}>The other way round</a> ·{' '}
              <a href={diffPath}>JSON</a> · <a href={linesPath}>NDJSON</a>
            </span>
          </div>
          {asked.cursor === undefined && <Beside seen={seen} before={before} after={after} page={page} />}
          <Filter seen={seen} types={typesOf(before, after)} asked={asked} page={page} />
          <Differences
            seen={seen}
            page={page}
            schemas={after.schemas}
            before={{ ...(other ?? seen), version: before.semver }}
            after={{ ...seen, version: after.semver }}
          />
          <Pager
            next={
              page.pagination.nextCursor === null
                ? undefined
                : seen.inView(withQuery(here, { ...asked, cursor: page.pagination.nextCursor }))
            }
            prev={
              asked.cursor === undefined
                ? undefined
                : seen.inView(withQuery(here, { ...asked, cursor: undefined }))
            }
          />
        </CollectionPage>
      ),
    }
  },
}

/** @throws version_not_found */
function pairIn(params: Visit['params']): { other: CollectionName | undefined; from: string; to: string } {
  const pair = params['pair']!
  const [from, to, ...rest] = pair.split('...')
  const owner = params['from']
  const [, slug, version] = owner === undefined ? [] : (/^([^@]+)@(.+)$/.exec(from ?? '') ?? [])
  const isWhole = from !== undefined && from !== '' && to !== undefined && to !== '' && rest.length === 0
  if (!isWhole || (owner !== undefined && version === undefined))
    throw new RegistryError('version_not_found', { say: { version: pair } })
  return owner === undefined
    ? { other: undefined, from, to }
    : { other: { owner, slug: slug! }, from: version!, to }
}

/**
 * Compares the full views if the caller is a member of both owners, else the public views.
 * @returns the new address of the other collection if it has moved
 * @throws collection_not_found
 */
async function readerOfBoth(
  visit: Visit,
  seen: SeenCollection,
  other: CollectionName,
): Promise<Principal | Moved> {
  try {
    const ask = { asPublic: false, withVersion: false }
    const { rights } = await visit.registry.collections.shown(seen.who, { ...other, v: 'latest' }, ask)
    return rights.isMember && seen.view === 'full' ? seen.who : publicly(seen.who)
  } catch (error) {
    if (error instanceof Moved) return error
    throw error
  }
}

/** This page with the current name of the other collection. */
const fromMoved = ({ params, url }: Visit, seen: SeenCollection, { to }: Moved): string => {
  const [slug = '', rest = ''] = params['pair']!.split(/@(.*)/s)
  const path = collectionPath(seen, 'compare', to.owner, `${to.slug ?? slug}@${rest}`)
  return withQuery(path, Object.fromEntries(url.searchParams))
}

const theOtherWay = (
  seen: SeenCollection,
  other: CollectionName | undefined,
  before: string,
  after: string,
): string =>
  seen.inView(
    other === undefined
      ? collectionPath(seen, 'compare', `${after}...${before}`)
      : collectionPath(other, 'compare', seen.owner, `${seen.slug}@${after}...${before}`),
  )

const typesOf = (before: Version, after: Version): string[] =>
  [...new Set([...Object.keys(before.typeCounts), ...Object.keys(after.typeCounts)])].sort()

const kinds = ['added', 'updated', 'removed'] as const

/** Filters of the records: `?type=City&change=added`, from `cursor` on. */
function askedIn(query: URLSearchParams) {
  const [cursor, type] = [query.get('cursor'), query.get('type')]
  const change = kinds.find((kind) => kind === query.get('change'))
  return {
    ...(cursor === null ? {} : { cursor }),
    ...(type === null || type === '' ? {} : { type }),
    ...(change === undefined ? {} : { change }),
  }
}

interface FilterProps {
  seen: SeenCollection
  types: readonly string[]
  asked: ReturnType<typeof askedIn>
  page: DiffAnswer
}

/** Filters the records by type and kind of change; notes when no record matches. */
function Filter({ seen, types, asked, page }: FilterProps) {
  const isEmpty = page.added.length + page.updated.length + page.removed.length === 0
  if (isEmpty && Object.keys(asked).length === 0) return null
  const hasMore = page.pagination.nextCursor !== null
  return (
    <>
      <form class="filter">
        {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
        <Select name="type" label="Type" form={asked} value="" options={[['', 'all'], ...named(types)]} />
        <Select name="change" label="Change" form={asked} value="" options={[['', 'all'], ...named(kinds)]} />
        <button type="submit">Show</button>
      </form>
      {isEmpty && (
        <p class="quiet">
          {hasMore ? 'None among the first of many: see the next page.' : 'No record differs so.'}
        </p>
      )}
    </>
  )
}

const named = (names: readonly string[]) => names.map((name) => [name, cutText(name, 60)] as const)

interface BesideProps {
  seen: SeenCollection
  before: Version
  after: Version
  page: DiffAnswer
}

/** Totals, schemas, metadata and files. */
function Beside({ seen, before, after, page }: BesideProps) {
  const metadata = page.meta.metadataChanged ? memberChanges(before.metadata, after.metadata) : []
  const { totals, filesAdded = [], filesRemoved = [], schemaChanges = [], level, reason } = page.meta
  return (
    <>
      {level === 'none' ? (
        <Empty title={reason!} />
      ) : (
        <p class="quiet">
          A {level} change: {reason}
        </p>
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
      {schemaChanges.length > 0 && (
        <section>
          <h3>Schemas</h3>
          <ul class="sentences">
            {schemaChanges.flatMap(({ type, changes }) =>
              changes.map((change) => (
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
