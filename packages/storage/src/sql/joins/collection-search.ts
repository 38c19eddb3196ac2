/** Full-text search of public collections, by slug, name, owner and description, best first. */

import type { Queries } from '../../database/database.ts'
import { foldName } from '../collections/collections.ts'
import { wordsSearched } from '../columns/words.ts'
import {
  type CollectionOrder,
  isForkText,
  type ListedCollection,
  listedRows,
  sortedBy,
} from './collection-lists.ts'

/** Collections read in each of two steps, so that a word which all have costs no more than a rarer one. */
const foundMax = 500

export interface CollectionSearch {
  /** Words; a collection must have one that begins so for each. */
  search: string
  /** Also anywhere in the name, in any case. */
  q?: string | undefined
  /** Slug of the one owner. */
  owner?: string | undefined
  /** Undefined: the best first. */
  order?: CollectionOrder | undefined
  limit: number
  offset: number
}

const names = 'words.name || words.owner'
/** As the indexes on `collection_words` have them. */
const indexed = {
  names: `(${names})`,
  all: `(${names} || coalesce(words.head_description, words.description))`,
}

/** $1: the query; $2: what a name must hold, or null; $3: the owner's slug, or null. */
const foundBy = (words: string) => `
  select collection_id as id from collection_words as words
  where ${words} @@ $1::tsquery and (
    select public and ($2::text is null or strpos(folded_name, $2) > 0)
      and ($3::text is null or owner_id = (select id from accounts where slug = $3))
    from collections where id = collection_id)
  limit ${foundMax}`

// Rows are looked up one by one, in a subquery that the planner may not turn into a join: an embedded database keeps no statistics,
// and would read all collections there are.
const searched = (by: string) => `
  with named as materialized (${foundBy(indexed.names)}),
    described as materialized (${foundBy(indexed.all)}),
    found as (select id from named union select id from described)
  select id from found, lateral (
    select folded_name, collections.created_at, updated_at,
      $4 in (collections.slug, accounts.slug || '/' || collections.slug) as is_meant,
      ts_rank(${indexed.all}, $1::tsquery) as rank, ${isForkText} as is_fork
    from collections
      join accounts on accounts.id = owner_id
      join collection_words as words on words.collection_id = collections.id
    where collections.id = found.id offset 0) as row
  order by ${by} limit $5 offset $6`

/**
 * Of those that have all words in slug, name and owner, and those that have them anywhere, up to `foundMax` each. Best is whose slug or
 * `owner/slug` was searched for, then by `ts_rank`. Of equals forks come last.
 */
export async function searchPublicCollections(
  at: Queries,
  ask: CollectionSearch,
): Promise<ListedCollection[]> {
  const query = wordsSearched(ask.search)
  if (query === undefined) return []
  const newest = sortedBy(ask.order ?? 'updated', { backwards: false })
  const { rows } = await at.query<{ id: string }>(
    searched(ask.order === undefined ? `is_meant desc, rank desc, is_fork, ${newest}` : newest),
    [
      query,
      ask.q === undefined || ask.q === '' ? null : foldName(ask.q),
      ask.owner ?? null,
      ask.search.trim().toLowerCase(),
      ask.limit,
      ask.offset,
    ],
    `search_collections_${ask.order ?? 'best'}`,
  )
  return listedRows(
    at,
    rows.map(({ id }) => id),
  )
}
