/** `…/versions`: all versions of a collection, newest first, with a form to compare two of them. */
import type { VersionItem } from '@ulmus/wire'
import { Badge, FeedLinks, Pager, ShortHash, Time } from '../../components/small.tsx'
import { Strip } from '../../components/strip/strip.tsx'
import { WorkloadLine } from '../../components/workload.tsx'
import { reasonOf } from '../../data/changes.ts'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { counted, cutText, sizeText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { Page } from '../../page.ts'
import { apiCollectionPath, collectionFeeds, collectionPath, versionPath, withQuery } from '../../paths.ts'
import { NoVersion } from '../version/overview-empty.tsx'

/** Longer messages are cut. Characters. */
const messageMax = 1_000
/** Longer names of accounts and apps are cut. Characters. */
const nameMax = 100

export const versions: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const cursor = visit.url.searchParams.get('cursor') ?? ''
    const page = await visit.registry.versions.list(seen.who, seen, {
      limit: 50,
      ...(cursor === '' ? {} : { cursor }),
    })
    const strip = cursor === '' ? await visit.registry.strips.read(seen.who, seen) : undefined
    const here = collectionPath(seen, 'versions')
    const to = (link: string | undefined) =>
      link === undefined
        ? undefined
        : withQuery(here, { cursor: new URLSearchParams(link).get('cursor') ?? '' })
    return {
      title: `Versions · ${seen.owner}/${seen.slug}`,
      description: `Versions of ${seen.owner}/${seen.slug}.`,
      canonical: here,
      isPublic: seen.isPublic,
      json: apiCollectionPath(seen, 'versions'),
      feeds: collectionFeeds(seen),
      body: (
        <CollectionPage seen={seen} tab="versions">
          {strip !== undefined && <Strip seen={seen} strip={strip} />}
          {page.items.length === 0 ? (
            <NoVersion seen={seen} origin={visit.origin} />
          ) : (
            <form action={collectionPath(seen, 'compare')}>
              {seen.readsAll && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
              <div class="section-head">
                <p class="quiet">Choose two to compare.</p>
                <button type="submit">Compare</button>
              </div>
              <List seen={seen} items={page.items} />
            </form>
          )}
          <Pager next={to(page.links.next)} prev={to(page.links.prev)} />
          {seen.isPublic && <FeedLinks feeds={collectionFeeds(seen)} />}
        </CollectionPage>
      ),
    }
  },
}

/** Note for a withdrawn or deprecated version, with the reason. */
const Standing = ({ item: { withdrawn, deprecated } }: { item: VersionItem }) =>
  withdrawn !== undefined ? (
    <>
      <Badge>withdrawn</Badge> <bdi>{cutText(withdrawn.reason, messageMax)}</bdi>
    </>
  ) : deprecated !== undefined ? (
    <>
      <Badge>deprecated</Badge> <bdi>{cutText(deprecated.message, messageMax)}</bdi>{' '}
    </>
  ) : null

const isStanding = ({ withdrawn }: VersionItem): boolean => withdrawn === undefined

function List({ seen, items }: { seen: VisitedCollection; items: readonly VersionItem[] }) {
  const [newest, older = newest] = items.filter(isStanding)
  return (
    <ol class="versions">
      {items.map((item, index) => (
        <Version
          key={item.semver}
          seen={seen}
          item={item}
          isFrom={item === older}
          isTo={item === newest}
          before={isStanding(item) ? items.slice(index + 1).find(isStanding) : undefined}
        />
      ))}
    </ol>
  )
}

/** Link to the form that marks a version, by what the visitor may do to it. */
function MarkLink({ seen, item: { semver, withdrawn } }: Pick<VersionProps, 'seen' | 'item'>) {
  const mayWithdraw = seen.may('withdraw')
  if (withdrawn === undefined ? !mayWithdraw && !seen.may('deprecate') : !mayWithdraw || withdrawn.erase)
    return null
  const label = withdrawn !== undefined ? 'erase' : mayWithdraw ? 'warn or withdraw' : 'warn'
  return <a href={withQuery(collectionPath(seen, 'withdraw'), { version: semver })}>{label}</a>
}

interface VersionProps {
  readonly seen: VisitedCollection
  readonly item: VersionItem
  /** True if the version is preselected as the start, or the end, of a comparison. */
  readonly isFrom: boolean
  readonly isTo: boolean
  /** The previous version that is not withdrawn, on this page. */
  readonly before: VersionItem | undefined
}

const Version = ({ seen, item, isFrom, isTo, before }: VersionProps) => (
  <li>
    <span class="pick">
      <input
        type="radio"
        name="from"
        value={item.semver}
        aria-label={`From ${item.semver}`}
        checked={isFrom}
        disabled={!isStanding(item)}
      />
      <input
        type="radio"
        name="to"
        value={item.semver}
        aria-label={`To ${item.semver}`}
        checked={isTo}
        disabled={!isStanding(item)}
      />
    </span>
    <div>
      <p>
        <a class="semver" href={seen.inView(versionPath({ ...seen, version: item.semver }))}>
          {item.semver}
        </a>{' '}
        <Standing item={item} />
        {item.withdrawn !== undefined ? null : item.message === null ? (
          <span class="quiet">No message</span>
        ) : (
          <bdi>{cutText(item.message, messageMax)}</bdi>
        )}
      </p>
      <p class="facts">
        <Time at={item.createdAt} />
        <span>{counted(item.recordCount, 'record')}</span>
        {item.fileCount > 0 && <span>{counted(item.fileCount, 'file')}</span>}
        <span>{sizeText(item.totalBytes)}</span>
        {item.actor !== null && (
          <span>
            by{' '}
            <a href={`/${item.actor.slug}`}>
              <bdi>{cutText(item.actor.displayName, nameMax)}</bdi>
            </a>
          </span>
        )}
        {item.workload !== undefined && (
          <span>
            published by <WorkloadLine workload={item.workload} />
          </span>
        )}
        {item.actorId !== null && (
          <span>
            for <bdi>{cutText(item.actorId, nameMax)}</bdi>
          </span>
        )}
        {item.appId !== null && (
          <span>
            by the program <bdi>{cutText(item.appId, nameMax)}</bdi>
          </span>
        )}
        <ShortHash hash={seen.isPublic ? item.publicHash : item.hash} />
        {before !== undefined && <span>{reasonOf(before.semver, item.semver)}</span>}
        {before !== undefined && (
          <a href={seen.inView(collectionPath(seen, 'compare', `${before.semver}...${item.semver}`))}>
            what changed
          </a>
        )}
        {seen.may('write') && item.withdrawn === undefined && item.semver !== seen.latest && (
          <a href={withQuery(collectionPath(seen, 'restore'), { version: item.semver })}>publish again</a>
        )}
        {seen.may('withdraw') && item.withdrawn?.erase === true && <span>erased, or about to be</span>}
        <MarkLink seen={seen} item={item} />
      </p>
    </div>
  </li>
)
