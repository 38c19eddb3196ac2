/** Lists of collections on the home page, in search results, and on the pages of accounts. */
import type { CollectionItem, MyCollection, OwnedCollection } from '@ulmus/wire'
import { bytesText, counted, cutText } from '../format.ts'
import { accountPath, versionPath } from '../paths.ts'
import { Badge, Time, Topics, Visibility } from './small.tsx'

type Level = 'h2' | 'h3'

/** Longer descriptions are cut; a page shows only three lines. Characters. */
const descriptionMax = 1_000
/** Longer licence names are cut. Characters. */
const licenseMax = 40

/** Collections of any owner, with their visibility if it is known. @param level of each item's heading: one below the heading over the list */
export const CollectionList = ({
  items,
  level: Heading,
}: {
  items: readonly (CollectionItem | MyCollection)[]
  level: Level
}) => (
  <ul class="collections">
    {items.map(
      ({
        id,
        ownerSlug,
        slug,
        name,
        description,
        topics,
        latestVersion,
        updatedAt,
        fork,
        license,
        ...more
      }) => (
        <li key={id}>
          <div class="head-row">
            <Heading>
              <a class="owner" href={accountPath(ownerSlug)}>
                {ownerSlug}
              </a>
              <span class="slash">/</span>
              <a href={versionPath({ owner: ownerSlug, slug })}>{slug}</a>
            </Heading>
            {fork && <Badge>Fork</Badge>}
            {'public' in more && <Visibility isPublic={more.public} />}
          </div>
          {name !== slug && (
            <p class="name" dir="auto">
              {name}
            </p>
          )}
          {description !== null && (
            <p class="description" dir="auto">
              {cutText(description, descriptionMax)}
            </p>
          )}
          <Topics topics={topics} />
          <p class="facts">
            {latestVersion === null ? (
              <span>No version yet</span>
            ) : (
              <span class="semver">{latestVersion}</span>
            )}
            {more.recordCount !== null && <span>{counted(more.recordCount, 'record')}</span>}
            {more.totalBytes !== null && <span>{bytesText(more.totalBytes)}</span>}
            {license !== null && <bdi>{cutText(license, licenseMax)}</bdi>}
            <span>
              Updated <Time at={updatedAt} />
            </span>
          </p>
        </li>
      ),
    )}
  </ul>
)

interface OwnedProps {
  readonly owner: string
  readonly items: readonly OwnedCollection[]
  readonly level: Level
}

/** Collections of one account. @param owner its slug */
export const OwnedList = ({ owner, items, level: Heading }: OwnedProps) => (
  <ul class="collections">
    {items.map(({ id, slug, name, public: isPublic, fork, updatedAt }) => (
      <li key={id}>
        <div class="head-row">
          <Heading>
            <a href={versionPath({ owner, slug })}>{slug}</a>
          </Heading>
          {fork && <Badge>Fork</Badge>}
          <Visibility isPublic={isPublic} />
        </div>
        {name !== slug && (
          <p class="name" dir="auto">
            {name}
          </p>
        )}
        <p class="facts">
          <span>
            Updated <Time at={updatedAt} />
          </span>
        </p>
      </li>
    ))}
  </ul>
)
