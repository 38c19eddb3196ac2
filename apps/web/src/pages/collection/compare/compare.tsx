/** `…/compare/v1.0.0...v1.1.0`: differences between two versions, in sentences and field by field. */
import { parseSemver } from '@ulmus/content'
import { giveWay, type JsonText, MovedError, type Principal, RegistryError, stripMax } from '@ulmus/registry'
import type { Version } from '@ulmus/wire'
import { Pager } from '../../../components/small.tsx'
import { cellPath, clickedCell, Strip } from '../../../components/strip/strip.tsx'
import { publicly, seeCollection, type VisitedCollection } from '../../../data/collection.ts'
import { filesOfRecords } from '../../../data/files.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Redirect, readJson, type Visit } from '../../../page.ts'
import { apiVersionPath, type CollectionName, collectionPath, withQuery } from '../../../paths.ts'
import { Beside, Level } from './beside.tsx'
import { Differences } from './differences.tsx'
import { Filter, filterIn } from './filter.tsx'
import { differencesIn } from './records.ts'
import { readPairs, Statistics } from './statistics.tsx'
import { Summary } from './summary.tsx'

/** Records per page. */
const differencesAPage = 50

/** `…/compare?from=v1.0.0&to=v1.1.0`, as sent by the form on the page of versions, or by a click on its strip. */
export const compareForm: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const query = visit.url.searchParams
    const clicked = await clickedPath(visit, seen)
    if (clicked !== undefined) return new Redirect(clicked, 302)
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? seen.latest ?? '']
    if (from === '' || to === '') return new Redirect(seen.inView(collectionPath(seen, 'versions')), 302)
    return new Redirect(seen.inView(collectionPath(seen, 'compare', `${from}...${to}`)), 302)
  },
}

/** `…/compare?until=v1.9.0&cells=200&City%2Fpopulation.x=100&City%2Fpopulation.y=3`: of a strip that ended at a version. */
async function clickedPath({ registry, url }: Visit, seen: VisitedCollection): Promise<string | undefined> {
  const cells = Number(url.searchParams.get('cells'))
  const until = parseSemver(url.searchParams.get('until') ?? '')
  const clicked = cells >= 1 && cells <= stripMax.versions ? clickedCell(url.searchParams, cells) : undefined
  if (clicked === undefined || until === undefined) return undefined
  const { versions } = await registry.strips.read(seen.who, seen, { until, most: { versions: cells } })
  const version = versions[cells - 1 - clicked.index] ?? versions.at(-1)
  return version && cellPath(seen, version, clicked)
}

export const compare: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const { other, from, to } = pairIn(visit.params)
    const who = other === undefined ? seen.who : await readerOfBoth(visit, seen, other)
    if (who instanceof MovedError) return new Redirect(fromMoved(visit, seen, who), 308)
    const detail = async ({ owner, slug }: CollectionName, v: string) => {
      const { schemas, ...facts } = await visit.registry.versions.detail(who, { owner, slug, v })
      const version = readJson<Omit<Version, 'schemas'>>(facts)
      return { ...version, schemas: await readSchemas(schemas), owner, slug, version: version.semver }
    }
    const [before, after] = await Promise.all([detail(other ?? seen, from), detail(seen, to)])
    const filter = filterIn(visit.url.searchParams)
    const fromName = `${other === undefined ? '' : `${other.owner}/${other.slug}@`}${before.semver}`
    const place = { owner: seen.owner, slug: seen.slug, v: after.semver }
    const ask = { from: fromName, limit: differencesAPage, withRemoved: true, ...filter }
    const [page, summary] = await Promise.all([
      visit.registry.diffs.page(who, place, ask),
      visit.registry.diffs.summary(who, place, fromName),
    ])
    const isFirst = filter.cursor === undefined
    const changed = summary.types.map(({ type }) => type)
    const types = filter.type === undefined ? changed : changed.filter((type) => type === filter.type)
    const pairs = isFirst ? await readPairs(visit, seen, { who, types, before, after }) : []
    const differences = await differencesIn(page)
    const files = await filesOfRecords(
      visit,
      seen,
      differences.flatMap(({ updated, added, removed }) => [
        ...updated.flatMap(({ changes }) => changes.flatMap(({ was, is }) => [is, was])),
        ...[...added, ...removed].map(({ data }) => data),
      ]),
    )
    const strip =
      isFirst && other === undefined
        ? await stripBetween(visit, seen, [before.semver, after.semver])
        : undefined
    const here = visit.url.pathname
    const diffPath = withQuery(apiVersionPath(after, 'diff'), { from: fromName })
    const { type, change, cursor } = filter
    const linesPath = withQuery(apiVersionPath(after, 'diff.ndjson'), { from: fromName, type, change })
    const pathTo = (next: Partial<typeof filter>) => seen.inView(withQuery(here, next))
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
              <Level page={page} />
              <Summary
                summary={summary}
                schemas={after.schemas}
                pathTo={(filter) => `${pathTo(filter)}#records`}
              />
              <Statistics pairs={pairs} />
              {strip !== undefined && (
                <section>
                  <h3>Versions between</h3>
                  <Strip seen={seen} strip={strip} />
                </section>
              )}
            </>
          )}
          <Filter
            {...{ seen, filter, page, summary, pathTo }}
            types={typesOf(before, after)}
            schemas={after.schemas}
          />
          <Differences {...{ seen, differences, files, before, after }} />
          <Pager
            next={nextCursor === null ? undefined : pathTo({ ...filter, cursor: nextCursor })}
            prev={cursor === undefined ? undefined : pathTo({ ...filter, cursor: '' })}
          />
          {isFirst && <Beside seen={seen} before={before} after={after} page={page} />}
        </CollectionPage>
      ),
    }
  },
}

/** The versions after one up to another, if there are others between. Undefined: there are none, or they are too old for a strip. */
async function stripBetween({ registry }: Visit, seen: VisitedCollection, [from, to]: [string, string]) {
  const until = parseSemver(to)
  const strip = await registry.strips.read(seen.who, seen, { until, ofNewest: true })
  const index = strip.versions.findIndex(({ semver }) => semver === from)
  if (index < 2) return undefined
  const versions = strip.versions.slice(0, index)
  return { ...strip, versions, versionCount: index }
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
  seen: VisitedCollection,
  other: CollectionName,
): Promise<Principal | MovedError> {
  try {
    const ask = { asPublic: false, withVersion: false }
    const { rights } = await visit.registry.collections.shown(seen.who, { ...other, v: 'latest' }, ask)
    return rights.readsAll && seen.view === 'full' ? seen.who : publicly(seen.who)
  } catch (error) {
    if (error instanceof MovedError) return error
    throw error
  }
}

/** This page with the current name of the other collection. */
const fromMoved = ({ params, url }: Visit, seen: VisitedCollection, { to }: MovedError): string => {
  const [slug = '', rest = ''] = params['pair']!.split(/@(.*)/s)
  const path = collectionPath(seen, 'compare', to.owner, `${to.slug ?? slug}@${rest}`)
  return withQuery(path, Object.fromEntries(url.searchParams))
}

const theOtherWay = (
  seen: VisitedCollection,
  other: CollectionName | undefined,
  before: string,
  after: string,
): string =>
  seen.inView(
    other === undefined
      ? collectionPath(seen, 'compare', `${after}...${before}`)
      : collectionPath(other, 'compare', seen.owner, `${seen.slug}@${after}...${before}`),
  )
