/** `…/versions`: every version of a collection, the newest first; two can be chosen to be compared. */
import type { VersionItem } from '@ulmus/wire'
import { Empty, Pager, ShortHash, Time } from '../../components/small.tsx'
import { reasonOf } from '../../data/changes.ts'
import { type SeenCollection, seeCollection } from '../../data/collection.ts'
import { bytesText, counted, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { Page } from '../../page.ts'
import { apiCollectionPath, collectionPath, versionPath, withQuery } from '../../paths.ts'

/** What is longer is cut. Characters. */
const messageMax = 1_000
const nameMax = 100

export const versions: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const cursor = visit.url.searchParams.get('cursor') ?? ''
    const page = await visit.registry.versions.list(seen.who, seen, {
      limit: 50,
      ...(cursor === '' ? {} : { cursor }),
    })
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
      feed: collectionPath(seen, 'versions.atom'),
      body: (
        <CollectionPage seen={seen} tab="versions">
          {page.items.length === 0 ? (
            <Empty title="This collection has no version yet." />
          ) : (
            <form action={collectionPath(seen, 'compare')}>
              {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
              <div class="section-head">
                <p class="quiet">Choose two to compare.</p>
                <button type="submit">Compare</button>
              </div>
              <List seen={seen} items={page.items} />
            </form>
          )}
          <Pager next={to(page.links.next)} prev={to(page.links.prev)} />
        </CollectionPage>
      ),
    }
  },
}

const List = ({ seen, items }: { seen: SeenCollection; items: readonly VersionItem[] }) => (
  <ol class="versions">
    {items.map((item, index) => (
      <li key={item.semver}>
        <span class="pick">
          <input
            type="radio"
            name="from"
            value={item.semver}
            aria-label={`From ${item.semver}`}
            checked={index === Math.min(1, items.length - 1)}
          />
          <input
            type="radio"
            name="to"
            value={item.semver}
            aria-label={`To ${item.semver}`}
            checked={index === 0}
          />
        </span>
        <div>
          <p>
            <a class="semver" href={seen.inView(versionPath({ ...seen, version: item.semver }))}>
              {item.semver}
            </a>{' '}
            {item.message === null ? (
              <span class="quiet">No message</span>
            ) : (
              <bdi>{cutText(item.message, messageMax)}</bdi>
            )}
          </p>
          <p class="facts">
            <Time at={item.createdAt} />
            <span>{counted(item.recordCount, 'record')}</span>
            {item.fileCount > 0 && <span>{counted(item.fileCount, 'file')}</span>}
            <span>{bytesText(item.totalBytes)}</span>
            {item.actor !== null && (
              <span>
                by{' '}
                <a href={`/${item.actor.slug}`}>
                  <bdi>{cutText(item.actor.displayName, nameMax)}</bdi>
                </a>
              </span>
            )}
            {item.actorId !== null && (
              <span>
                for <bdi>{cutText(item.actorId, nameMax)}</bdi>
              </span>
            )}
            {item.appId !== null && (
              <span>
                with <bdi>{cutText(item.appId, nameMax)}</bdi>
              </span>
            )}
            <ShortHash hash={item.hash} />
            {items[index + 1] !== undefined && <span>{reasonOf(items[index + 1]!.semver, item.semver)}</span>}
            {items[index + 1] !== undefined && (
              <a
                href={seen.inView(
                  collectionPath(seen, 'compare', `${items[index + 1]!.semver}...${item.semver}`),
                )}
              >
                what changed
              </a>
            )}
          </p>
        </div>
      </li>
    ))}
  </ol>
)
