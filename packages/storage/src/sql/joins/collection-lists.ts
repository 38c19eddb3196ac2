/**
 * Lists of collections with keyset pagination. Every order ends in the id, so that each row has a unique position, which the cursors of the
 * API contain: a changed order breaks the cursors that clients hold.
 */

import type { Queries } from '../../database/database.ts'
import {
  type CollectionRow,
  collections,
  foldName,
  gramsText,
  hasTopicsText,
} from '../collections/collections.ts'
import { Values, wholeRow } from '../columns/rows.ts'
import type { VersionRow } from '../versions/versions.ts'

/** `updated` and `created`: newest first. `name`: by the folded name's bytes. */
export type CollectionOrder = 'updated' | 'created' | 'name'

/** Page of a list. */
export interface ListSlice {
  /** Maximum number of rows. */
  readonly limit: number
  /** Rows to skip. */
  readonly offset: number
  /** Only rows after this position: the sort key, then the id. */
  readonly beyond?: { readonly value: string | Date; readonly id: string }
  /** Reads the list from its end: the nearest before `beyond` first. */
  readonly backwards: boolean
}

/** Columns of a head that lists show. */
export type ListedVersion = Pick<
  VersionRow,
  | 'major'
  | 'minor'
  | 'patch'
  | 'license'
  | 'listedTypes'
  | 'fullRecords'
  | 'fullFiles'
  | 'fullBytes'
  | 'publicRecords'
  | 'publicFiles'
  | 'publicBytes'
>

/** A collection in a list, with its owner and its head. */
export interface ListedCollection {
  readonly collection: CollectionRow
  readonly ownerSlug: string
  readonly ownerName: string
  /** Head in the form for lists; null before the first version. */
  readonly head: ListedVersion | null
  readonly isFork: boolean
}

/** True if a row of `collections` is a fork. A private or deleted source does not count. */
export const isForkText =
  'exists (select from collections as source where source.id = collections.forked_from_id and source.public)'

const orderings = {
  updated: { column: 'updated_at', type: 'timestamptz', newestFirst: true },
  created: { column: 'created_at', type: 'timestamptz', newestFirst: true },
  name: { column: 'folded_name', type: 'text', newestFirst: false },
}

/** Sort key of a list, in SQL. */
export function sortedBy(order: CollectionOrder, { backwards }: Pick<ListSlice, 'backwards'>): string {
  const { column, newestFirst } = orderings[order]
  const towards = newestFirst === backwards ? 'asc' : 'desc'
  return `${column} ${towards}, id ${towards}`
}

/** Position in the list of a row from `listPublicCollections` or `listOwnedCollections`. */
export const placeOf = (
  row: CollectionRow,
  order: CollectionOrder,
): { value: string | Date; id: string } => ({
  value: order === 'name' ? row.foldedName : order === 'created' ? row.createdAt : row.updatedAt,
  id: row.id,
})

/** Conditions on public collections, all of which must hold. */
export interface CollectionFilter {
  /** Slug of the only owner. */
  readonly owner?: string | undefined
  readonly topics: readonly string[]
  /** See `facetText`. */
  readonly facets: readonly string[]
}

const ofOwner = (parameter: string) => `owner_id = (select id from accounts where slug = ${parameter})`

/** Condition on a row of `collections` that it is public and of the owner, if one is given. */
const amongOf = ({ owner }: Pick<CollectionFilter, 'owner'>, values: Values): string =>
  owner === undefined ? 'public' : `public and ${ofOwner(values.of(owner))}`

/** Public collections that pass a filter and whose name contains `q`, ignoring case. */
export async function listPublicCollections(
  at: Queries,
  ask: CollectionFilter & { q?: string; order: CollectionOrder; slice: ListSlice },
): Promise<ListedCollection[]> {
  const q = foldName(ask.q ?? '')
  if (q !== '' || ask.topics.length > 0 || ask.facets.length > 0) return searched(at, { ...ask, q })
  const values = new Values()
  const list = ask.owner === undefined ? 'public' : 'public_of_owner'
  return sliceOf(at, `list_${list}`, amongOf(ask, values), values, ask)
}

/** Collections of an account: all, or the public ones and those with the ids `besides`. */
export async function listOwnedCollections(
  at: Queries,
  ask: { ownerId: string; all: boolean; besides: readonly string[]; slice: ListSlice },
): Promise<ListedCollection[]> {
  const values = new Values()
  const owned = `owner_id = ${values.of(ask.ownerId)}`
  const { slice } = ask
  if (ask.all) return sliceOf(at, 'list_all_owned', owned, values, { order: 'updated', slice })
  const isPublic = ask.besides.length === 0
  const shown = isPublic ? 'public' : `(public or id = any(${values.of([...ask.besides])}::uuid[]))`
  const name = isPublic ? 'list_shown_owned' : 'list_shown_owned_and_some'
  return sliceOf(at, name, `${owned} and ${shown}`, values, { order: 'updated', slice })
}

/** Collections of a user and of the user's organizations, and those that the user has a grant on; last changed first. */
export async function listCollectionsOfMember(
  at: Queries,
  { accountId, slice }: { accountId: string; slice: ListSlice },
): Promise<ListedCollection[]> {
  const values = new Values()
  const asked = { order: 'updated', slice } as const
  const user = `${values.of(accountId)}::uuid`
  const beyond = beyondOf(values, asked)
  const by = sortedBy('updated', slice)
  const [limit, offset] = [values.of(slice.limit), values.of(slice.offset)]
  // Read only as many rows per owner as the page needs: an owner may have very many.
  const rows = `select mine.* from (select ${user} as member_of union all select org_id from members where user_id = ${user}) as owners
    cross join lateral (
      select * from collections where owner_id = member_of and ${beyond} order by ${by} limit ${limit}::bigint + ${offset}::bigint
    ) as mine
    union all select * from (
      select * from collections where id in (select collection_id from collaborators where user_id = ${user}) and ${beyond}
        and owner_id <> ${user} and not exists (select from members where org_id = owner_id and user_id = ${user})) as granted
    order by ${by} limit ${limit}::bigint offset ${offset}::bigint`
  return listed(at, rows, by, values.given)
}

interface Listed {
  readonly order: CollectionOrder
  readonly slice: ListSlice
}

function beyondOf(values: Values, { order, slice: { beyond, backwards } }: Listed): string {
  if (beyond === undefined) return 'true'
  const { column, type, newestFirst } = orderings[order]
  const isBeyond = newestFirst === backwards ? '>' : '<'
  return `(${column}, id) ${isBeyond} (${values.of(beyond.value)}::${type}, ${values.of(beyond.id)}::uuid)`
}

/** @param name of the statement, without the parts for its order, its direction and its start */
function sliceOf(
  at: Queries,
  name: string,
  among: string,
  values: Values,
  asked: Listed,
): Promise<ListedCollection[]> {
  const { order, slice } = asked
  const beyond = beyondOf(values, asked)
  const by = sortedBy(order, slice)
  const bounds = `limit ${values.of(slice.limit)} offset ${values.of(slice.offset)}`
  const rows = `select * from collections where ${among} and ${beyond} order by ${by} ${bounds}`
  const place = slice.beyond === undefined ? 'first' : 'further'
  const direction = slice.backwards ? 'backwards' : 'forwards'
  return listed(at, rows, by, values.given, `${name}_${order}_${place}_${direction}`)
}

/** Rows that a search reads in the list's order before it uses the indexes of names, topics and facets. */
const windowRows = 1_000

/**
 * What many collections have is found fastest by reading the list in order, a rare text, topic or facet by its index. The planner
 * cannot choose: an embedded database keeps no statistics, and a wrong guess reads every row.
 */
async function searched(
  at: Queries,
  asked: CollectionFilter & Listed & { readonly q: string },
): Promise<ListedCollection[]> {
  const { q, topics, facets } = asked
  const { limit, offset } = asked.slice
  const by = sortedBy(asked.order, asked.slice)
  const near = new Values()
  const window = `select * from collections
    where ${amongOf(asked, near)} and ${beyondOf(near, asked)} order by ${by} limit ${windowRows}`
  const hasFacets = () => `exists (select from collection_words
    where collection_id = near.id and facets @> ${near.of(facets)}::text[])`
  const inWindow = `select * from (${window}) as near
    where strpos(folded_name, ${near.of(q)}) > 0 and ${hasTopicsText(near.of(topics))}
      and ${facets.length === 0 ? 'true' : hasFacets()}
    order by ${by} limit ${near.of(limit)} offset ${near.of(offset)}`
  const found = await listed(at, inWindow, by, near.given)
  if (found.length === limit) return found
  const all = new Values()
  const fromIndex = `with hits as materialized (${hitsOf(asked, all, beyondOf(all, asked))})
    select * from hits order by ${by} limit ${all.of(limit)} offset ${all.of(offset)}`
  return listed(at, fromIndex, by, all.given)
}

/** Rows of `collections` that pass a filter, in no order, read by its indexes. @param more a condition on them */
export function hitsOf(
  asked: CollectionFilter & { readonly q?: string },
  values: Values,
  more = 'true',
): string {
  const { q = '', topics, facets } = asked
  const conditions = [
    amongOf(asked, values),
    more,
    ...(q === '' ? [] : [inIndex(q, values)]),
    ...(topics.length === 0 ? [] : [hasTopicsText(values.of(topics))]),
  ]
  if (facets.length === 0) return `select * from collections where ${conditions.join(' and ')}`
  // Rows are looked up one by one, as in collection-search.ts.
  return `select hit.* from collection_words, lateral (
      select * from collections where id = collection_id and ${conditions.join(' and ')} offset 0) as hit
    where facets @> ${values.of(facets)}::text[] collate "C"`
}

/** The condition in the form of its index: trigrams if `q` has three letters or digits in a row, else pairs. */
function inIndex(q: string, values: Values): string {
  if (/[a-z0-9]{3}/.test(q)) return `folded_name like ${values.of(`%${q.replace(/[\\%_]/g, '\\$&')}%`)}`
  const characters = [...q]
  const grams =
    characters.length === 1 ? characters : characters.slice(1).map((next, index) => characters[index] + next)
  return `${gramsText('folded_name')} @> ${values.of(grams)}::text[] and strpos(folded_name, ${values.of(q)}) > 0`
}

/** Collections with these ids, in this order; collections deleted meanwhile are left out. */
export function listedRows(at: Queries, ids: readonly string[]): Promise<ListedCollection[]> {
  if (ids.length === 0) return Promise.resolve([])
  const rows = 'select collections.* from collections where id = any($1::uuid[])'
  return listed(at, rows, 'array_position($1::uuid[], id)', [[...ids]], 'list_by_ids')
}

const whole = wholeRow(collections)

/**
 * One prepared statement for a list, written as SQL: building it for each request, and reading it column by column, took most of
 * the time of an answer.
 * @param rows of `collections`
 * @param by their order
 */
async function listed(
  at: Queries,
  rows: string,
  by: string,
  values: unknown[],
  name?: string,
): Promise<ListedCollection[]> {
  const text = `select ${whole.text} as collection, owner.slug as "ownerSlug", owner.display_name as "ownerName",
      head.*, ${isForkText} as "isFork"
    from (${rows}) as collections
      join (select id as account_id, slug, display_name from accounts) as owner on account_id = owner_id
      left join (select id as "versionId", ${headColumns} from versions) as head on "versionId" = head_id
    order by ${by}`
  const answer = await at.query<ListedVersion & ListedRow>(text, values, name)
  return answer.rows.map(({ collection, ownerSlug, ownerName, isFork, versionId, ...head }) => ({
    collection: whole.read(collection)!,
    ownerSlug,
    ownerName,
    head: versionId === null ? null : head,
    isFork,
  }))
}

interface ListedRow extends Pick<ListedCollection, 'ownerSlug' | 'ownerName' | 'isFork'> {
  collection: unknown
  versionId: string | null
}

const headColumns = `major, minor, patch, license, listed_types as "listedTypes",
  full_records as "fullRecords", full_files as "fullFiles", full_bytes as "fullBytes",
  public_records as "publicRecords", public_files as "publicFiles", public_bytes as "publicBytes"`
