/** `…/compare/v1.0.0...v1.1.0`: differences between two versions, in sentences and field by field. */
import { giveWay, type JsonText, Moved, type Principal, RegistryError } from '@ulmus/registry'
import type { Version } from '@ulmus/wire'
import { Pager } from '../../../components/small.tsx'
import { publicly, type SeenCollection, seeCollection } from '../../../data/collection.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Redirect, readJson, type Visit } from '../../../page.ts'
import { apiVersionPath, type CollectionName, collectionPath, withQuery } from '../../../paths.ts'
import { Beside } from './beside.tsx'
import { Differences } from './differences.tsx'
import { askedIn, Filter } from './filter.tsx'
import { differencesIn } from './records.ts'
import { readPairs, Statistics } from './statistics.tsx'
import { Summary } from './summary.tsx'

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
    const detail = async ({ owner, slug }: CollectionName, v: string) => {
      const { schemas, ...facts } = await visit.registry.versions.detail(who, { owner, slug, v })
      const version = readJson<Omit<Version, 'schemas'>>(facts)
      return { ...version, schemas: await readSchemas(schemas), owner, slug, version: version.semver }
    }
    const [before, after] = await Promise.all([detail(other ?? seen, from), detail(seen, to)])
    const asked = askedIn(visit.url.searchParams)
    const fromName = `${other === undefined ? '' : `${other.owner}/${other.slug}@`}${before.semver}`
    const place = { owner: seen.owner, slug: seen.slug, v: after.semver }
    const ask = { from: fromName, limit: differencesAPage, withRemoved: true, ...asked }
    const [page, summary] = await Promise.all([
      visit.registry.diffs.page(who, place, ask),
      visit.registry.diffs.summary(who, place, fromName),
    ])
    const isFirst = asked.cursor === undefined
    const changed = summary.types.map(({ type }) => type)
    const types = asked.type === undefined ? changed : changed.filter((type) => type === asked.type)
    const pairs = isFirst ? await readPairs(visit, seen, { who, types, before, after }) : []
    const differences = await differencesIn(page)
    const here = visit.url.pathname
    const diffPath = withQuery(apiVersionPath(after, 'diff'), { from: fromName })
    const { type, change, cursor } = asked
    const linesPath = withQuery(apiVersionPath(after, 'diff.ndjson'), { from: fromName, type, change })
    const pathTo = (filter: Partial<typeof asked>) => seen.inView(withQuery(here, filter))
    const { nextCursor } = page.pagination
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
          {isFirst && (
            <>
              <Beside seen={seen} before={before} after={after} page={page} />
              <Summary
                summary={summary}
                schemas={after.schemas}
                pathTo={(filter) => `${pathTo(filter)}#records`}
              />
              <Statistics pairs={pairs} />
            </>
          )}
          <Filter
            {...{ seen, asked, page, summary }}
            types={typesOf(before, after)}
            schemas={after.schemas}
          />
          <Differences seen={seen} differences={differences} before={before} after={after} />
          <Pager
            next={nextCursor === null ? undefined : pathTo({ ...asked, cursor: nextCursor })}
            prev={cursor === undefined ? undefined : pathTo({ ...asked, cursor: '' })}
          />
        </CollectionPage>
      ),
    }
  },
}

/** Parses the schemas one by one, up to 4 MiB in total, so that other requests get turns of the event loop. */
async function readSchemas(schemas: Readonly<Record<string, JsonText>>): Promise<Version['schemas']> {
  const read: [type: string, schema: Version['schemas'][string]][] = []
  for (const [type, text] of Object.entries(schemas)) {
    await giveWay()
    read.push([type, readJson(text)])
  }
  return Object.fromEntries(read)
}

const typesOf = (before: Version, after: Version): string[] =>
  [...new Set([...Object.keys(before.typeCounts), ...Object.keys(after.typeCounts)])].sort()

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
