/** Lists of collections: public ones, an account's, and the caller's. interface.md "Collections", http-api §4. */
import { formatSemver, topicText } from '@ulmus/content'
import {
  type CollectionOrder,
  type ListedCollection,
  listCollectionsOfMember,
  listOwnedCollections,
  listPublicCollections,
  placeOf,
  searchPublicCollections,
} from '@ulmus/storage'
import { findVisibleAccount } from '../access/find-account.ts'
import { mayEnter, type View } from '../access/policy.ts'
import {
  byInstant,
  byText,
  mapPage,
  type Page,
  type PageAsk,
  type PageOrder,
  pageByOffset,
  pageOf,
} from '../answers/pages.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { shownDescription } from './shown.ts'

export interface BrowseAsk extends PageAsk {
  /** Text anywhere in the name, ignoring case; no character is special. */
  q?: string
  /** Words; each must begin a word of the slug, name, owner, topics or description. */
  search?: string
  /** Slug of the only account whose collections are listed. */
  owner?: string
  /** Topics that a collection must have, all of them. */
  topic?: readonly string[]
  /** Default: best match first if `search` is given, else `updated`. */
  sort?: CollectionOrder
}

const orders: Record<CollectionOrder, PageOrder> = {
  updated: byInstant('updated'),
  created: byInstant('created'),
  name: byText('name'),
}

/** @throws invalid_request for a cursor of another list. */
export async function browsePublic(
  context: Context,
  ask: BrowseAsk,
): Promise<Page<ReturnType<typeof browseItem>>> {
  const { q, search, owner, sort } = ask
  // No collection has the empty topic.
  const topics = ask.topic?.map((topic) => topicText(topic) ?? '') ?? []
  if (search !== undefined && search !== '') {
    const found = await pageByOffset(ask, (slice) =>
      searchPublicCollections(context.database, { search, q, owner, topics, order: sort, ...slice }),
    )
    return mapPage(found, browseItem)
  }
  const order = sort ?? 'updated'
  const page = await pageOf(
    ask,
    orders[order],
    (slice) => listPublicCollections(context.database, { q, owner, topics, order, slice }),
    ({ collection }) => placeOf(collection, order),
  )
  return mapPage(page, browseItem)
}

export async function listMine(context: Context, who: Principal, ask: PageAsk): Promise<Page<MyItem>> {
  demand(mayEnter(who, { scope: 'any', unlimited: true }))
  const { accountId } = demandCaller(who)
  const page = await pageOf(
    ask,
    orders.updated,
    (slice) => listCollectionsOfMember(context.database, { accountId, slice }),
    ({ collection }) => placeOf(collection, 'updated'),
  )
  return mapPage(page, myItem)
}

export async function listOwned(
  context: Context,
  who: Principal,
  owner: string,
  ask: PageAsk,
): Promise<Page<OwnedItem>> {
  const { account, role } = await findVisibleAccount(context, who, owner)
  const limitedTo = who.kind === 'anonymous' ? null : who.limitedTo
  const all = role !== null && limitedTo === null
  const besides = role === null ? null : limitedTo
  const page = await pageOf(
    ask,
    orders.updated,
    (slice) => listOwnedCollections(context.database, { ownerId: account.id, all, besides, slice }),
    ({ collection }) => placeOf(collection, 'updated'),
  )
  return mapPage(page, ownedItem)
}

/** Items of lists. Their fields are public: change them together with packages/wire/src/collections.ts. */
export type MyItem = ReturnType<typeof myItem>
export type OwnedItem = ReturnType<typeof ownedItem>

/** @param view selects the counts */
const listedItem = ({ collection, ownerSlug, ownerName, head, isFork }: ListedCollection, view: View) => ({
  id: collection.id,
  slug: collection.slug,
  name: collection.name,
  description: shownDescription(collection),
  topics: collection.topics,
  ownerSlug,
  ownerName,
  latestVersion: head && formatSemver(head),
  recordCount: head && (view === 'full' ? head.fullRecords : head.publicRecords),
  totalBytes: head && (view === 'full' ? head.fullBytes : head.publicBytes),
  license: head === null ? null : head.license,
  fork: isFork,
  createdAt: instantText(collection.createdAt),
  updatedAt: instantText(collection.updatedAt),
})

const browseItem = (listed: ListedCollection) => listedItem(listed, 'public')

const myItem = (listed: ListedCollection) => ({
  ...listedItem(listed, 'full'),
  public: listed.collection.public,
})

const ownedItem = ({ collection, isFork }: ListedCollection) => ({
  id: collection.id,
  slug: collection.slug,
  name: collection.name,
  public: collection.public,
  fork: isFork,
  createdAt: instantText(collection.createdAt),
  updatedAt: instantText(collection.updatedAt),
})
