/** Cards of collections on the home page, in search results, and on the pages of accounts. */
import type { CollectionItem } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { counted, cutText, sizeText } from '../format.ts'
import { accountPath, versionPath } from '../paths.ts'
import { Badge, Name, Time, Topics, Visibility } from './small.tsx'

/** Longer descriptions are cut; a page shows only three lines. Characters. */
const descriptionMax = 1_000
/** Longer licence names are cut. Characters. */
const licenseMax = 40
/** Longer names of types are cut. Characters. */
const typeMax = 30
/** Named types; the API lists one more. */
const typesMax = 5

interface Props {
  readonly items: readonly CollectionItem[]
  /** Level of each card's heading: one below the heading over the list. */
  readonly level: 'h2' | 'h3'
  /** The last line of a card. Default: none. */
  readonly note?: (item: CollectionItem) => ComponentChildren
}

export const CollectionList = ({ items, level, note }: Props) => (
  <ul class="collections">
    {items.map((item) => (
      <Card key={item.id} item={item} level={level} note={note?.(item)} />
    ))}
  </ul>
)

interface CardProps extends Pick<Props, 'level'> {
  readonly item: CollectionItem
  readonly note: ComponentChildren
}

const Card = ({ item, level: Heading, note }: CardProps) => (
  <li>
    <div class="head-row">
      <Heading>
        <a href={versionPath({ owner: item.ownerSlug, slug: item.slug })}>
          <Name of={item.name} />
        </a>
      </Heading>
      {item.fork && <Badge>Fork</Badge>}
      {!item.public && <Visibility isPublic={false} isHidden={item.hiddenByOperators !== undefined} />}
    </div>
    <p class="address">
      <a href={accountPath(item.ownerSlug)}>{item.ownerSlug}</a>
      <span class="slash">/</span>
      {item.slug}
    </p>
    {item.description !== null && (
      <p class="description" dir="auto">
        {cutText(item.description, descriptionMax)}
      </p>
    )}
    <Topics topics={item.topics} />
    <p class="facts">
      {item.latestVersion === null ? (
        <span>No version yet</span>
      ) : (
        <span class="semver">{item.latestVersion}</span>
      )}
      {item.recordCount !== null && <span>{counted(item.recordCount, 'record')}</span>}
      {item.fileCount !== null && item.fileCount > 0 && <span>{counted(item.fileCount, 'file')}</span>}
      {item.totalBytes !== null && <span>{sizeText(item.totalBytes)}</span>}
      <Types types={item.types} />
      {item.license !== null && <bdi>{cutText(item.license, licenseMax)}</bdi>}
      <span>
        Updated <Time at={item.updatedAt} />
      </span>
    </p>
    {note}
  </li>
)

const Types = ({ types }: { types: readonly string[] }) =>
  types.length === 0 ? null : (
    <span>
      {types.slice(0, typesMax).map((type, index) => (
        <span key={type}>
          {index > 0 && ', '}
          <Name of={type} most={typeMax} />
        </span>
      ))}
      {types.length > typesMax && ', …'}
    </span>
  )
