/**
 * Search words of owners. The words of a collection have a token of its owner instead of the owner's names, so that a renamed account
 * changes one row here and no index of collections.
 */
import { sql } from 'drizzle-orm'
import { index, pgTable, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { type AccountRow, accounts } from '../accounts/accounts.ts'
import { tsvector } from '../columns/columns.ts'
import { wordsOf } from '../columns/words.ts'

/** Accounts that own collections, or did. */
export const ownerWords = pgTable(
  'owner_words',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Words of the slug and the name. */
    words: tsvector('words').notNull(),
  },
  (t) => [
    index('owner_words_words').using('gin', t.words).with({ fastupdate: false }),
    index('owner_words_trigrams')
      .using('gin', sql`(strip(${t.words})::text) gin_trgm_ops`)
      .with({ fastupdate: false }),
  ],
)

/** Names of an owner by which its collections are found. */
export type OwnerNames = Pick<AccountRow, 'slug' | 'displayName'>

/** True if the owner of a row of `owner_words` has a public collection. */
export const ownsPublicText = 'exists (select from collections where owner_id = account_id and public)'

/** Owners that a search reads for its terms, and of those the owners whose collections have them. */
const ownersMax = { read: 500, found: 200 }

export const wordsOfOwner = ({ slug, displayName }: OwnerNames): string =>
  wordsOf(`${slug} ${displayName}`, 'B')

/** A word that no search has: all words of searches begin with a letter, a digit or a mark. */
const tokenOf = (ownerId: string): string => `'@${ownerId}'`

/** Token of an owner in the words of its collections. */
export const ownerToken = (ownerId: string): string => `${tokenOf(ownerId)}:1B`

/** Stores the words of an owner, unless they are stored. */
export async function insertOwnerWords(tx: Tx, ownerId: string, owner: OwnerNames): Promise<void> {
  await tx.query('insert into owner_words (account_id, words) values ($1, $2) on conflict do nothing', [
    ownerId,
    wordsOfOwner(owner),
  ])
}

/** Updates the search words of an account that was renamed, if it owns collections. */
export async function renameOwnerOfCollections(tx: Tx, ownerId: string, owner: OwnerNames): Promise<void> {
  await tx.query(
    'update owner_words set words = $2::tsvector where account_id = $1 and words <> $2::tsvector',
    [ownerId, wordsOfOwner(owner)],
  )
}

/** A `tsquery` for the words of collections: each of the terms also matches the tokens of owners that have it. */
export async function withOwners(at: Queries, terms: readonly string[]): Promise<string> {
  // Owners that have most of the terms first; of very many with a common first name, those that have all.
  const owners = (query: string, limit: string) => `
    select account_id, words from owner_words where words @@ ${query}::tsquery and ${ownsPublicText} limit ${limit}`
  const { rows } = await at.query<{ id: string; places: number[] }>(
    `select account_id as id, places from (
       (${owners('$2', '$4')}) union (${owners('$3', '$5')})) as owners, lateral (
       select array(select place::integer from unnest($1::text[]) with ordinality as asked (term, place)
         where words @@ term::tsquery) as places) as had
     order by cardinality(places) desc limit $4`,
    [terms, terms.join(' & '), terms.join(' | '), ownersMax.found, terms.length > 1 ? ownersMax.read : 0],
    'owners_with_words',
  )
  const tokens = terms.map((_, index) =>
    rows.filter(({ places }) => places.includes(index + 1)).map(({ id }) => tokenOf(id)),
  )
  return terms.map((term, index) => `(${[term, ...tokens[index]!].join(' | ')})`).join(' & ')
}
