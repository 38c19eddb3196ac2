/** Links to feeds of new versions. */
import { Fragment } from 'preact'
import type { SeenCollection } from '../data/collection.ts'
import type { FeedLink } from '../page.ts'
import { accountPath, collectionPath } from '../paths.ts'

/** Media types by format. */
export const feedTypes: Readonly<Record<FeedLink['format'], string>> = {
  Atom: 'application/atom+xml',
  'JSON Feed': 'application/feed+json',
}

export const collectionFeeds = (seen: SeenCollection): readonly FeedLink[] => [
  { format: 'Atom', path: seen.inView(collectionPath(seen, 'versions.atom')) },
  { format: 'JSON Feed', path: seen.inView(collectionPath(seen, 'feed.json')) },
]

export const accountFeeds = (slug: string): readonly FeedLink[] => [
  { format: 'Atom', path: `${accountPath(slug)}/-/feed.atom` },
]

export const FeedLinks = ({ feeds }: { feeds: readonly FeedLink[] }) => (
  <p class="quiet">
    {'New versions as a feed: '}
    {feeds.map(({ format, path }, index) => (
      <Fragment key={format}>
        {index > 0 && ', '}
        <a href={path} type={feedTypes[format]}>
          {format}
        </a>
      </Fragment>
    ))}
  </p>
)
