/** New versions of the collections of a signed-in user and of the user's organizations. */
import type { CollectionItem, VersionItem } from '@ulmus/wire'
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
export interface Change {
  readonly owner: string
  readonly slug: string
  readonly newest: VersionItem
  /** Number of new versions; `hasMore`: and further ones. */
  readonly count: number
  readonly hasMore: boolean
  /** The version before the new ones, or the first one. */
  readonly since: VersionItem
}

/** Collections with versions of the last days, by their ids. Withdrawn versions do not count. */
export async function changesIn(
  { registry, who }: Visit,
  collections: readonly CollectionItem[],
  now = Date.now(),
): Promise<ReadonlyMap<string, Change>> {
  const isRecent = (at: string): boolean => now - Date.parse(at) < days * 86_400_000
  const recent = collections.filter(({ updatedAt }) => isRecent(updatedAt)).slice(0, collectionsMax)
  const changes = await Promise.all(
    recent.map(async ({ id, ownerSlug: owner, slug }): Promise<[string, Change][]> => {
      const page = await leniently(() => registry.versions.list(who, { owner, slug }, { limit: versionsMax }))
      const items = page?.items.filter(({ withdrawn }) => withdrawn === undefined) ?? []
      const count = items.filter(({ createdAt }) => isRecent(createdAt)).length
      if (count === 0) return []
      const hasMore = count === items.length && page?.links.next !== undefined
      const since = items[count] ?? items[count - 1]!
      return [[id, { owner, slug, newest: items[0]!, count, hasMore, since }]]
    }),
  )
  return new Map(changes.flat())
}

/** A line of the collection's card: what its newest version says, as the way to what changed. */
export function ChangeNote({ owner, slug, newest, count, hasMore, since }: Change) {
  const versions = `${counted(count, 'new version')}${hasMore ? ' or more' : ''}`
  const path =
    since === newest
      ? versionPath({ owner, slug, version: newest.semver })
      : collectionPath({ owner, slug }, 'compare', `${since.semver}...${newest.semver}`)
  return (
    <p class="facts news">
      <a href={path}>{newest.message === null ? versions : <bdi>{cutText(newest.message, textMax)}</bdi>}</a>
      {newest.actor !== null && (
        <span>
          by <bdi>{cutText(newest.actor.displayName, textMax)}</bdi>
        </span>
      )}
      {newest.message !== null && <span>{versions}</span>}
    </p>
  )
}
