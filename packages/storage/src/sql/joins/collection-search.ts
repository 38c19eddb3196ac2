/**
 * Full-text search of public collections, by slug, name, owner, topics, description, readme, types and fields, best first. The indexed
 * words are kept in `collection_words` by collections/collections.ts.
 */

import type { Queries } from '../../database/database.ts'
import { foldName, hasTopicsText } from '../collections/collections.ts'
import { wordsSearched } from '../columns/words.ts'
import {
  type CollectionOrder,
  isForkText,
  type ListedCollection,
  listedRows,
  sortedBy,
} from './collection-lists.ts'

/** Collections read in each of three steps, so that a common word costs no more than a rare one. */
const foundMax = 500

/** A search of public collections. */
export interface CollectionSearch {
  /** Search words; each must be a prefix of a word of the collection. */
  search: string
  /** Text that the name must contain, ignoring case. */
  q?: string | undefined
  /** Slug of the only owner to search. */
  owner?: string | undefined
  /** Topics that it must have. */
  topics: readonly string[]
  /** Undefined: best first. */
  order?: CollectionOrder | undefined
  limit: number
  offset: number
}

const names = 'words.name || words.owner'
const described = `${names} || words.topics || coalesce(words.head_description, words.description)`
/** Expressions exactly as in the indexes on `collection_words`. */
const indexed = {
  names: `(${names})`,
  described: `(${described})`,
  all: `((${described}) || words.readme || words.fields)`,
}

/** $1: the query; $2: text that the name must contain, or null; $3: the owner's slug, or null; $7: topics. */
const foundBy = (words: string) => `
  select collection_id as id from collection_words as words
  where ${words} @@ $1::tsquery and (
    select public and ($2::text is null or strpos(folded_name, $2) > 0)
      and ($3::text is null or owner_id = (select id from accounts where slug = $3))
      and ${hasTopicsText('$7')}
    from collections where id = collection_id)
  limit ${foundMax}`

// Rows are looked up one by one, in a subquery that the planner cannot turn into a join: an embedded database keeps no statistics,
// and a join would read all collections.
const searched = (by: string) => `
  with named as materialized (${foundBy(indexed.names)}),
    described as materialized (${foundBy(indexed.described)}),
    mentioned as materialized (${foundBy(indexed.all)}),
    found as (select id from named union select id from described union select id from mentioned)
  select id from found, lateral (
    select folded_name, collections.created_at, updated_at,
      $4 in (collections.slug, accounts.slug || '/' || collections.slug) as is_meant,
      ${indexed.described} @@ $1::tsquery as is_described, ts_rank(${indexed.all}, $1::tsquery) as rank,
      ${isForkText} as is_fork
    from collections
      join accounts on accounts.id = owner_id
      join collection_words as words on words.collection_id = collections.id
    where collections.id = found.id offset 0) as row
  order by ${by} limit $5 offset $6`

/**
 * Ranks up to `foundMax` collections with all words in slug, name and owner, as many with all words there or in topics and description,
 * and as many with all words anywhere. An exact match of slug or `owner/slug` comes first; a collection that has a word only in its
 * readme, types or fields comes last; else the order of `ts_rank`. Among equals, forks come last.
 */
export async function searchPublicCollections(
  at: Queries,
  ask: CollectionSearch,
): Promise<ListedCollection[]> {
  const query = wordsSearched(ask.search)
  if (query === undefined) return []
  const newest = sortedBy(ask.order ?? 'updated', { backwards: false })
  const { rows } = await at.query<{ id: string }>(
    searched(
      ask.order === undefined ? `is_meant desc, is_described desc, rank desc, is_fork, ${newest}` : newest,
    ),
    [
      query,
      ask.q === undefined || ask.q === '' ? null : foldName(ask.q),
      ask.owner ?? null,
      ask.search.trim().toLowerCase(),
      ask.limit,
      ask.offset,
      ask.topics,
    ],
    `search_collections_${ask.order ?? 'best'}`,
  )
  return listedRows(
    at,
    rows.map(({ id }) => id),
  )
}
