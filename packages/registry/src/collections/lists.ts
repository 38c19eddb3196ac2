/** Lists of collections: public ones, an account's, and the caller's. interface.md "Collections", http-api §4. */
import { formatSemver, topicText } from '@ulmus/content'
import {
  type CollectionFilter,
  type CollectionOrder,
  countedMax,
  countFacets,
  facetText,
  type ListedCollection,
  listCollectionsOfMember,
  listGrantsIn,
  listOwnedCollections,
  listPublicCollections,
  placeOf,
  respell,
  searchPublicCollections,
} from '@ulmus/storage'
import type { CollectionFacets, CollectionItem } from '@ulmus/wire'
import { findVisibleAccount } from '../access/find-account.ts'
import { type Grant, mayEnter, type View, viewFor } from '../access/policy.ts'
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
import type { Context } from '../context.ts'
import { demand } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { shownCounts } from '../versions/content.ts'
import { factsOf, hiddenByOperators } from './frame.ts'

export interface BrowseAsk extends PageAsk {
  /** Text anywhere in the name, ignoring case; no character is special. */
  q?: string
  /** Words; each must begin a word of the slug, name, owner, topics or description. */
  search?: string
  /** True: if no collection has the words of `search`, search for the nearest words instead. */
  similar?: boolean
  /** Slug of the only account whose collections are listed. */
  owner?: string
  /** Topics that a collection must have, all of them. */
  topic?: readonly string[]
  /** Licence of the latest version, exactly. */
  license?: string
  /** Names of types that the latest version must have, all of them. */
  type?: readonly string[]
  /** Records of the latest version: at most 1,000, at most 100,000, or more. */
  size?: 'small' | 'medium' | 'large'
  /** Default: best match first if `search` is given, else `updated`. */
  sort?: CollectionOrder
}

const orders: Record<CollectionOrder, PageOrder> = {
  updated: byInstant('updated'),
  created: byInstant('created'),
  name: byText('name'),
}

/** `instead`: the words that were searched for, if the answer is not for those of the request. */
export type BrowsePage = Page<CollectionItem> & { instead?: string }

/** @throws invalid_request for a cursor of another list. */
export async function browsePublic(context: Context, ask: BrowseAsk): Promise<BrowsePage> {
  const { q, search, sort } = ask
  const filter = filterOf(ask)
  if (search !== undefined && search !== '') {
    const found = await pageByOffset(ask, (slice) =>
      searchPublicCollections(context.database, { ...filter, search, q, order: sort, ...slice }),
    )
    if (found.items.length > 0 || ask.similar !== true) return mapPage(found, publicItem)
    const instead = await respell(context.database, search)
    if (instead === undefined) return mapPage(found, publicItem)
    const near = await browsePublic(context, { ...ask, search: instead, similar: false })
    return near.items.length === 0 ? near : { ...near, instead }
  }
  const order = sort ?? 'updated'
  const page = await pageOf(
    ask,
    orders[order],
    (slice) => listPublicCollections(context.database, { ...filter, q, order, slice }),
    ({ collection }) => placeOf(collection, order),
  )
  return mapPage(page, publicItem)
}

function filterOf({ owner, topic = [], license, type = [], size }: BrowseAsk): CollectionFilter {
  const facets = [
    ...(license === undefined ? [] : [facetText('license', license.trim())]),
    ...(size === undefined ? [] : [facetText('size', size)]),
    ...type.map((name) => facetText('type', name)),
  ]
  return {
    owner,
    // No collection has the empty topic or facet.
    topics: topic.map((text) => topicText(text) ?? ''),
    facets: facets.map((facet) => (facet.isWellFormed() && !/\p{Cc}/u.test(facet) ? facet : '')),
  }
}

/** Filters by which collections are counted, in the order of answers. */
const counted = ['license', 'size', 'type', 'owner'] as const

/** Counts the public collections that `browsePublic` lists. */
export async function browseFacets(
  context: Context,
  ask: Omit<BrowseAsk, keyof PageAsk | 'sort'>,
): Promise<CollectionFacets> {
  const search = ask.search === '' ? undefined : ask.search
  const { total, values } = await countFacets(context.database, { ...filterOf(ask), q: ask.q, search })
  if (total === 0 && search !== undefined && ask.similar === true) {
    const instead = await respell(context.database, search)
    if (instead !== undefined) return browseFacets(context, { ...ask, search: instead, similar: false })
  }
  const facets = counted.map((filter) => ({
    filter,
    values: values.filter(({ kind }) => kind === filter).map(({ value, count }) => ({ value, count })),
  }))
  return { total: Math.min(total, countedMax), hasMore: total > countedMax, facets }
}

export async function listMine(
  context: Context,
  who: Principal,
  ask: PageAsk,
): Promise<Page<CollectionItem>> {
  demand(mayEnter(who, { scope: 'any', unlimited: true }))
  const { accountId } = demandCaller(who)
  const page = await pageOf(
    ask,
    orders.updated,
    (slice) => listCollectionsOfMember(context.database, { accountId, slice }),
    ({ collection }) => placeOf(collection, 'updated'),
  )
  return mapPage(page, (listed) => listedItem(listed, 'full'))
}

export async function listOwned(
  context: Context,
  who: Principal,
  owner: string,
  ask: PageAsk,
): Promise<Page<CollectionItem>> {
  const { account, role } = await findVisibleAccount(context, who, owner)
  const limitedTo = who.kind === 'anonymous' ? null : who.limitedTo
  const all = role !== null && limitedTo === null
  const granted =
    who.kind === 'anonymous'
      ? new Map<string, Grant>()
      : await listGrantsIn(context.database, account.id, who.accountId)
  const reached = role !== null && limitedTo !== null ? limitedTo : [...granted.keys()]
  const besides = reached.filter((id) => limitedTo?.includes(id) ?? true)
  const page = await pageOf(
    ask,
    orders.updated,
    (slice) => listOwnedCollections(context.database, { ownerId: account.id, all, besides, slice }),
    ({ collection }) => placeOf(collection, 'updated'),
  )
  return mapPage(page, (listed) =>
    listedItem(
      listed,
      viewFor(who, { collection: listed.collection, role, grant: granted.get(listed.collection.id) ?? null }),
    ),
  )
}

const noCounts = { recordCount: null, fileCount: null, totalBytes: null }

/** @param view of the head: selects counts and types */
const listedItem = (
  { collection, ownerSlug, ownerName, head, isFork }: ListedCollection,
  view: View,
): CollectionItem => ({
  ...factsOf({ collection, owner: { slug: ownerSlug, displayName: ownerName } }),
  latestVersion: head && formatSemver(head),
  ...(head === null ? noCounts : shownCounts(head, view)),
  types: [...(head?.listedTypes?.[view] ?? [])],
  license: head?.license ?? null,
  fork: isFork,
  ...(view === 'full' && hiddenByOperators(collection)),
})

const publicItem = (listed: ListedCollection) => listedItem(listed, 'public')
