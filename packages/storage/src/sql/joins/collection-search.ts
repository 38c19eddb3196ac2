/**
 * Full-text search of public collections, by slug, name, owner, topics, description, readme, types and fields, best first. The indexed
 * words are kept in `collection_words` by collections/collections.ts, those of owners in `owner_words`.
 */

import type { Queries } from '../../database/database.ts'
import { foldName, hasTopicsText } from '../collections/collections.ts'
import type { FacetKind } from '../collections/facets.ts'
import { ownsPublicText, withOwners } from '../collections/owner-words.ts'
import { Values } from '../columns/rows.ts'
import { searchedWords, termsSearched } from '../columns/words.ts'
import {
  type CollectionFilter,
  type CollectionOrder,
  hitsOf,
  isForkText,
  type ListedCollection,
  listedRows,
  sortedBy,
} from './collection-lists.ts'

/** Collections read in each of three steps, so that a common word costs no more than a rare one. */
const foundMax = 500

/** A search of public collections. */
export interface CollectionSearch extends CollectionFilter {
  /** Search words; each must be a prefix of a word of the collection. */
  search: string
  /** Text that the name must contain, ignoring case. */
  q?: string | undefined
  /** Undefined: best first. */
  order?: CollectionOrder | undefined
  limit: number
  offset: number
}

const wordsWith = (owner: string) => {
  const names = `words.name || ${owner}`
  const described = `${names} || words.topics || coalesce(words.head_description, words.description)`
  return {
    names: `(${names})`,
    described: `(${described})`,
    all: `((${described}) || words.readme || words.fields)`,
  }
}
/** Expressions exactly as in the indexes on `collection_words`, for queries from `withOwners`. */
const indexed = wordsWith('words.owner')
/** The same with the words of the owner, for the words of a search themselves. */
const whole = wordsWith('owned.words')

/** $1: the query; $2: text that the name must contain, or null; $3: the owner's slug, or null; $4: topics; $5: facets. */
const foundBy = (words: string, most = foundMax) => `
  select collection_id as id from collection_words as words
  where ${words} @@ $1::tsquery and facets @> $5::text[] and (
    select public and ($2::text is null or strpos(folded_name, $2) > 0)
      and ($3::text is null or owner_id = (select id from accounts where slug = $3))
      and ${hasTopicsText('$4')}
    from collections where id = collection_id)
  limit ${most}`

const filterValues = ({ q, owner, topics, facets }: CollectionFilter & { q?: string | undefined }) => [
  q === undefined || q === '' ? null : foldName(q),
  owner ?? null,
  topics,
  facets,
]

// Rows are looked up one by one, in a subquery that the planner cannot turn into a join: an embedded database keeps no statistics,
// and a join would read all collections.
const searched = (by: string) => `
  with named as materialized (${foundBy(indexed.names)}),
    described as materialized (${foundBy(indexed.described)}),
    mentioned as materialized (${foundBy(indexed.all)}),
    found as (select id from named union select id from described union select id from mentioned)
  select id from found, lateral (
    select folded_name, collections.created_at, updated_at,
      $6 in (collections.slug, accounts.slug || '/' || collections.slug) as is_meant,
      ${whole.described} @@ $9::tsquery as is_described, case
        when ${whole.described} @@ $9::tsquery then ts_rank(${whole.described}, $9::tsquery)
        else ts_rank(${whole.all}, $9::tsquery) end as rank,
      ${isForkText} as is_fork
    from collections
      join accounts on accounts.id = owner_id
      join collection_words as words on words.collection_id = collections.id
      join owner_words as owned on owned.account_id = owner_id
    where collections.id = found.id offset 0) as row
  order by ${by} limit $7 offset $8`

/**
 * Ranks up to `foundMax` collections with all words in slug, name and owner, as many with all words there or in topics and description,
 * and as many with all words anywhere. An exact match of slug or `owner/slug` comes first; a collection that has a word only in its
 * readme, types or fields comes last; else the order of `ts_rank`. Among equals, forks come last.
 */
export async function searchPublicCollections(
  at: Queries,
  ask: CollectionSearch,
): Promise<ListedCollection[]> {
  const terms = termsSearched(ask.search)
  if (terms.length === 0) return []
  const query = await withOwners(at, terms)
  const newest = sortedBy(ask.order ?? 'updated', { backwards: false })
  const { rows } = await at.query<{ id: string }>(
    searched(
      ask.order === undefined ? `is_meant desc, is_described desc, rank desc, is_fork, ${newest}` : newest,
    ),
    [
      query,
      ...filterValues(ask),
      ...[ask.search.trim().toLowerCase(), ask.limit, ask.offset, terms.join(' & ')],
    ],
    `search_collections_${ask.order ?? 'best'}`,
  )
  return listedRows(
    at,
    rows.map(({ id }) => id),
  )
}

/** Shorter words are not respelt: most are near to each other. Characters. */
const respeltMin = 4
/** Words of a search that may be respelt; later ones stay. */
const respeltMax = 2

/** A search with the nearest words of public collections in place of those that none has. Undefined if it would be the same. */
export async function respell(at: Queries, search: string): Promise<string | undefined> {
  const words = searchedWords(search)
  const asked = words.filter((word) => word.length >= respeltMin).slice(0, respeltMax)
  if (asked.length === 0) return undefined
  const { rows } = await at.query<{ word: string; near: string | null }>(
    `select word, near_word(word) as near from unnest($1::text[], $2::text[]) as asked (word, query)
     where not exists (select from collection_words as words where ${indexed.all} @@ query::tsquery
       and (select public from collections where id = collection_id))
     and not exists (select from owner_words where words @@ query::tsquery and ${ownsPublicText})`,
    [asked, asked.map((word) => termsSearched(word).join(' & '))],
  )
  const near = new Map(rows.map((row) => [row.word, row.near ?? row.word]))
  const respelt = words.map((word) => near.get(word) ?? word).join(' ')
  return respelt === words.join(' ') ? undefined : respelt
}

/** Collections whose facets are counted. */
export const countedMax = 1_000
/** Values listed of each kind. */
const valuesMax = 10

/** Facets of a list of public collections. */
export interface FacetCounts {
  /** Collections of the list; one more than `countedMax` if there are more. */
  readonly total: number
  /** Most frequent values by kind; counts are of at most `total` collections. */
  readonly values: readonly { kind: FacetKind | 'owner'; value: string; count: number }[]
}

/** Counts facets of the first matches of a search, or of a list without words. */
export async function countFacets(
  at: Queries,
  ask: CollectionFilter & { readonly q?: string | undefined; readonly search?: string | undefined },
): Promise<FacetCounts> {
  const terms = ask.search === undefined ? undefined : termsSearched(ask.search)
  if (terms?.length === 0) return { total: 0, values: [] }
  const query = terms && (await withOwners(at, terms))
  const values = new Values()
  const list = () =>
    `select id from (${hitsOf({ ...ask, q: foldName(ask.q ?? '') }, values)}) as hits limit ${countedMax + 1}`
  const matches = query === undefined ? list() : foundBy(indexed.all, countedMax + 1)
  const { rows } = await at.query<{ total: number; facet: string | null; count: number }>(
    `with matches as materialized (${matches}),
      found as (
        select facet from matches, lateral (
          select facets from collection_words where collection_id = matches.id offset 0) as words, unnest(facets) as facet
        union all select 'owner:' || slug from matches, lateral (
          select accounts.slug from collections join accounts on accounts.id = owner_id where collections.id = matches.id offset 0) as owner),
      counted as (select facet collate "C" as facet, count(*)::integer as count from found group by 1),
      placed as (select *, row_number() over (
        partition by split_part(facet, ':', 1) order by count desc, facet) as place from counted)
    select (select count(*)::integer from matches) as total, facet, count
    from (select) as one left join placed on place <= ${valuesMax} order by count desc, facet`,
    query === undefined ? values.given : [query, ...filterValues(ask)],
  )
  const counted = rows.flatMap(({ facet, count }) => {
    if (facet === null) return []
    const [kind, ...value] = facet.split(':')
    return [{ kind: kind as FacetKind | 'owner', value: value.join(':'), count }]
  })
  return { total: rows[0]?.total ?? 0, values: counted }
}
