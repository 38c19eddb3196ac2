/** New versions of the collections of a signed-in user and of the user's organizations. */
import type { CollectionItem, VersionItem } from '@ulmus/wire'
import { Time } from '../../components/small.tsx'
import { leniently } from '../../data/profiles.ts'
import { counted, cutText } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { collectionPath, versionPath } from '../../paths.ts'

const days = 14
/** Collections that are looked at, the latest ones, and versions of each. */
const collectionsMax = 6
const versionsMax = 20
/** Longer messages and names are cut. Characters. */
const textMax = 120

/** A collection with new versions. */
interface Change {
  readonly owner: string
  readonly slug: string
  readonly newest: VersionItem
  /** Number of new versions; `hasMore`: and further ones. */
  readonly count: number
  readonly hasMore: boolean
  /** The version before the new ones, or the first one. */
  readonly since: VersionItem
}

/** Collections with versions of the last days, the latest first. Withdrawn versions do not count. */
export async function changesIn(
  { registry, who }: Visit,
  collections: readonly CollectionItem[],
  now = Date.now(),
): Promise<Change[]> {
  const isRecent = (at: string): boolean => now - Date.parse(at) < days * 86_400_000
  const recent = collections.filter(({ updatedAt }) => isRecent(updatedAt)).slice(0, collectionsMax)
  const changes = await Promise.all(
    recent.map(async ({ ownerSlug: owner, slug }): Promise<Change[]> => {
      const page = await leniently(() => registry.versions.list(who, { owner, slug }, { limit: versionsMax }))
      const items = page?.items.filter(({ withdrawn }) => withdrawn === undefined) ?? []
      const count = items.filter(({ createdAt }) => isRecent(createdAt)).length
      if (count === 0) return []
      const hasMore = count === items.length && page?.links.next !== undefined
      return [{ owner, slug, newest: items[0]!, count, hasMore, since: items[count] ?? items[count - 1]! }]
    }),
  )
  return changes.flat()
}

export const Changes = ({ changes }: { changes: readonly Change[] }) =>
  changes.length === 0 ? null : (
    <section>
      <h2>New in your collections</h2>
      <ul class="versions">
        {changes.map(({ owner, slug, newest, count, hasMore, since }) => (
          <li key={`${owner}/${slug}`}>
            <div>
              <p>
                <a href={versionPath({ owner, slug, version: newest.semver })}>
                  {owner}/{slug} {newest.semver}
                </a>{' '}
                {newest.message !== null && <bdi>{cutText(newest.message, textMax)}</bdi>}
              </p>
              <p class="facts">
                <Time at={newest.createdAt} />
                {newest.actor !== null && (
                  <span>
                    by <bdi>{cutText(newest.actor.displayName, textMax)}</bdi>
                  </span>
                )}
                <span>
                  {counted(count, 'new version')}
                  {hasMore && ' or more'}
                </span>
                {since !== newest && (
                  <a href={collectionPath({ owner, slug }, 'compare', `${since.semver}...${newest.semver}`)}>
                    what changed since {since.semver}
                  </a>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
