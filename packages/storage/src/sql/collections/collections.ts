/**
 * Tables of collections and of their search words, which change together. Statements that list collections are in
 * joins/collection-lists.ts; only `land_version` and `moveHead` move a head.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { type AccountRow, accounts } from '../accounts/accounts.ts'
import { bytewiseText, count, instant, tsvector } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
import { insertOwnerWords, type OwnerNames, ownerToken } from './owner-words.ts'
import { descriptionWords, type HeadFound, headWords, nameWords, topicWords } from './words.ts'

/**
 * Pairs of adjacent characters in a folded name, and its single characters: entries of the index for searches by one
 * or two characters, or by characters that are not letters, which trigrams do not support. Immutable, so that an index may use it.
 */
export const gramsText = (foldedName: string): string => {
  const pairs = (text: string) => `regexp_replace(${text}, '(..)', E'\\\\1\\n', 'g')`
  const everyPair = `${pairs(foldedName)} || E'\\n' || ${pairs(`substr(${foldedName}, 2)`)}`
  return `(string_to_array(${everyPair}, E'\\n') || string_to_array(${foldedName}, null))`
}

/** True if a collection has all topics of a parameter; in the form of its index, which compares by bytes. */
export const hasTopicsText = (parameter: string): string => `topics @> ${parameter}::text[] collate "C"`

export const collections = pgTable(
  'collections',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => accounts.id),
    slug: bytewiseText('slug').notNull(),
    name: text('name').notNull(),
    /** The name in the form for searching and sorting, see `foldName`. */
    foldedName: bytewiseText('folded_name').notNull(),
    description: text('description'),
    public: boolean('public').notNull(),
    /** The head: the latest version. Moves only by compare-and-swap. Null before the first version. */
    headId: uuid('head_id'),
    /** `metadata.description` of the head, so that a list need not read documents. */
    headDescription: text('head_description'),
    /** Topics of the head, from `metadata.keywords`; empty without a head. */
    topics: text('topics').array().notNull().default(sql`'{}'::text[]`),
    /** Source of a fork, which may no longer exist. */
    forkedFromId: uuid('forked_from_id'),
    forkedFromSemver: text('forked_from_semver'),
    /** The source, its source, and so on, nearest first: they know the content types of inherited files. */
    ancestors: uuid('ancestors').array().notNull().default(sql`'{}'::uuid[]`),
    /** Semver of the highest withdrawn version, with its `v`: no later version has a lower number. Null: none was withdrawn. */
    newestWithdrawn: text('newest_withdrawn'),
    /** True: only trusted publishers make versions. */
    publishersOnly: boolean('publishers_only').notNull().default(false),
    /** When operators hid it from all but its members, and why (null: its owner was suspended). Null: not hidden. */
    hiddenAt: instant('hidden_at'),
    hiddenReason: text('hidden_reason'),
    /** True: it is public again once operators show it. */
    publicOnceShown: boolean('public_once_shown').notNull().default(false),
    /** Bytes that its versions and files added to the store, without erased ones. See usage.ts. */
    storedBytes: count('stored_bytes').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('collections_owner_slug').on(t.ownerId, t.slug),
    index('collections_owner_updated').on(t.ownerId, t.updatedAt, t.id),
    index('collections_public_updated').on(t.updatedAt, t.id).where(sql`${t.public}`),
    index('collections_public_created').on(t.createdAt, t.id).where(sql`${t.public}`),
    index('collections_public_name').on(t.foldedName, t.id).where(sql`${t.public}`),
    index('collections_public_owner_updated').on(t.ownerId, t.updatedAt, t.id).where(sql`${t.public}`),
    // Without a pending list: every search would scan it, and an embedded database never flushes it.
    index('collections_public_name_trigrams')
      .using('gin', t.foldedName.op('gin_trgm_ops'))
      .with({ fastupdate: false })
      .where(sql`${t.public}`),
    index('collections_public_name_grams')
      .using('gin', sql.raw(gramsText('"folded_name"')))
      .with({ fastupdate: false })
      .where(sql`${t.public}`),
    index('collections_public_topics')
      .using('gin', sql`${t.topics} collate "C"`)
      .with({ fastupdate: false })
      .where(sql`${t.public}`),
    index('collections_hidden').on(t.hiddenAt, t.id).where(sql`${t.hiddenReason} is not null`),
    index('collections_ancestors').using('gin', t.ancestors),
  ],
)

/** Words and facets that a search finds a collection by. A separate table: moving the head changes it only if they change. */
export const collectionWords = pgTable(
  'collection_words',
  {
    collectionId: uuid('collection_id')
      .primaryKey()
      .references(() => collections.id, { onDelete: 'cascade' }),
    /** Words of the slug and the name. */
    name: tsvector('name').notNull(),
    /** Token of the owner: owner-words.ts. */
    owner: tsvector('owner').notNull(),
    /** Words of the head's topics. */
    topics: tsvector('topics').notNull().default(''),
    description: tsvector('description').notNull(),
    /** Replaces `description` unless null, which means that the head's metadata has no description. */
    headDescription: tsvector('head_description'),
    /** Words of the head's readme. */
    readme: tsvector('readme').notNull().default(''),
    /** Words of the names of types and fields, and of their titles, in the head's public schemas. */
    fields: tsvector('fields').notNull().default(''),
    /** Values to filter by: `facets.ts`. */
    facets: text('facets').array().notNull().default(sql`'{}'::text[]`),
  },
  (t) => [
    index('collection_words_names').using('gin', namesOf(t)).with({ fastupdate: false }),
    index('collection_words_described').using('gin', describedOf(t)).with({ fastupdate: false }),
    index('collection_words_all').using('gin', allWordsOf(t)).with({ fastupdate: false }),
    index('collection_words_trigrams').using('gin', trigramsOf(t)).with({ fastupdate: false }),
    index('collection_words_facets').using('gin', sql`${t.facets} collate "C"`).with({ fastupdate: false }),
  ],
)

type WordColumns = Record<
  'name' | 'owner' | 'topics' | 'description' | 'headDescription' | 'readme' | 'fields',
  SQLWrapper
>
/** Indexed words of slug and name, and the owner's token. Searches must use this expression exactly, or PostgreSQL ignores the index. */
export const namesOf = ({ name, owner }: Pick<WordColumns, 'name' | 'owner'>): SQL =>
  sql`(${name} || ${owner})`
/** The same with the words of topics and description; likewise. */
export const describedOf = ({ name, owner, topics, description, headDescription }: WordColumns): SQL =>
  sql`(${name} || ${owner} || ${topics} || coalesce(${headDescription}, ${description}))`
/** Words that replace misspelt ones, likewise: see joins/near-words.sql. */
export const trigramsOf = ({ name, topics }: Pick<WordColumns, 'name' | 'topics'>): SQL =>
  sql`(strip(${name} || ${topics})::text) gin_trgm_ops`
/** Indexed words of all sources; likewise. */
export const allWordsOf = (t: WordColumns): SQL => sql`(${describedOf(t)} || ${t.readme} || ${t.fields})`

export type CollectionRow = typeof collections.$inferSelect

/** Folds a name for searching and sorting: lowercases each character on its own, independent of database and locale. */
export function foldName(name: string): string {
  let folded = ''
  // Maps each character to one character: a pair never straddles an original character, and `Σ` does not depend on its position.
  for (const character of name) folded += String.fromCodePoint(character.toLowerCase().codePointAt(0) ?? 0)
  return folded
}

/** A new collection's row of words. Those of a fork's readme and schemas are copied when it lands. */
export const wordsRow = (row: Omit<CollectionRow, 'foldedName'>): typeof collectionWords.$inferSelect => ({
  collectionId: row.id,
  name: nameWords(row),
  owner: ownerToken(row.ownerId),
  topics: topicWords(row.topics),
  description: descriptionWords(row.description),
  headDescription: row.headDescription === null ? null : descriptionWords(row.headDescription),
  readme: '',
  fields: '',
  facets: [],
})

/** @throws a unique violation of `collections_owner_slug` if the owner has the slug, a foreign key violation if the owner is gone. */
export async function insertCollection(
  tx: Tx,
  row: Omit<CollectionRow, 'foldedName'>,
  owner: OwnerNames,
): Promise<void> {
  const collection = { ...row, foldedName: foldName(row.name) }
  await tx.query(...insertInto(collections, collection), 'insert_collection')
  await tx.query(...insertInto(collectionWords, wordsRow(row)))
  await insertOwnerWords(tx, row.ownerId, owner)
}

/** Locks the row until the transaction ends: `update` against all other locks, `key share` against deletion only. */
export async function lockCollection(
  tx: Tx,
  id: string,
  strength: 'update' | 'key share',
): Promise<CollectionRow | undefined> {
  const { rows } = await tx.query<CollectionRow>(
    `select ${columnsOf(collections)} from collections where id = $1 for ${strength}`,
    [id],
    `lock_collection_${strength}`,
  )
  return rows[0]
}

/** @throws a unique violation of `collections_owner_slug`. */
export async function updateCollection(
  tx: Tx,
  id: string,
  next: Pick<CollectionRow, 'slug' | 'name' | 'description' | 'public' | 'updatedAt'>,
): Promise<void> {
  const { slug, name, description, public: isPublic, updatedAt } = next
  await tx.query(
    `update collections set slug = $2, name = $3, folded_name = $4, description = $5, public = $6, updated_at = $7
     where id = $1`,
    [id, slug, name, foldName(name), description, isPublic, updatedAt],
  )
  // Only if they change: all words are reindexed.
  await tx.query(
    `update collection_words set name = $2, description = $3
     where collection_id = $1 and (name, description) is distinct from ($2::tsvector, $3::tsvector)`,
    [id, nameWords(next), descriptionWords(description)],
  )
}

/** Makes another version the head, after the head was withdrawn. `headId` is null if no readable version is left. */
export async function moveHead(
  tx: Tx,
  id: string,
  head: HeadFound & { headId: string | null; updatedAt: Date },
): Promise<void> {
  const { headId, description, topics, updatedAt } = head
  await tx.query(
    'update collections set head_id = $2, head_description = $3, topics = $4, updated_at = $5 where id = $1',
    [id, headId, description, topics, updatedAt],
  )
  await tx.query('select set_head_words($1, $2)', [id, headWords(head)])
}

export async function setPublishersOnly(tx: Tx, id: string, publishersOnly: boolean): Promise<void> {
  await tx.query('update collections set publishers_only = $2 where id = $1', [id, publishersOnly])
}

/** Number of public forks of a collection, direct and indirect: private ones are known to their members alone. */
export async function countPublicForks(at: Queries, id: string): Promise<number> {
  const { rows } = await at.query<{ forks: number }>(
    'select count(*) as forks from collections where ancestors @> array[$1::uuid] and public',
    [id],
  )
  return rows[0]!.forks
}

/** Records the highest withdrawn version number. */
export async function keepWithdrawnNumber(tx: Tx, id: string, newestWithdrawn: string): Promise<void> {
  await tx.query('update collections set newest_withdrawn = $2 where id = $1', [id, newestWithdrawn])
}

/** Transfers a collection to another account, under `slug`. @throws a unique violation of `collections_owner_slug`. */
export async function giveCollection(
  tx: Tx,
  { id, slug, name, updatedAt }: Pick<CollectionRow, 'id' | 'slug' | 'name' | 'updatedAt'>,
  owner: OwnerNames & Pick<AccountRow, 'id'>,
): Promise<void> {
  await tx.query('update collections set owner_id = $2, slug = $3, updated_at = $4 where id = $1', [
    id,
    owner.id,
    slug,
    updatedAt,
  ])
  await tx.query('update collection_words set owner = $2, name = $3 where collection_id = $1', [
    id,
    ownerToken(owner.id),
    nameWords({ slug, name }),
  ])
  await insertOwnerWords(tx, owner.id, owner)
}

/** Owners of the private collections among a fork's sources and their sources, without the fork's own owner. */
export async function ownersOfPrivateSources(
  at: Queries,
  { ownerId, ancestors }: Pick<CollectionRow, 'ownerId' | 'ancestors'>,
): Promise<AccountRow[]> {
  if (ancestors.length === 0) return []
  const { rows } = await at.query<AccountRow>(
    `select ${columnsOf(accounts)} from accounts where id <> $1 and id in (
       select owner_id from collections where collections.id = any($2::uuid[]) and not public)`,
    [ownerId, ancestors],
  )
  return rows
}

/** Those of `ids` that are public collections. */
export async function publicAmong(at: Queries, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await at.query<{ id: string }>(
    'select id from collections where public and id = any($1::uuid[])',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Collections of an account, ordered by slug. */
export async function collectionsOfAccount(
  at: Queries,
  ownerId: string,
): Promise<Pick<CollectionRow, 'id' | 'slug'>[]> {
  const { rows } = await at.query<Pick<CollectionRow, 'id' | 'slug'>>(
    'select id, slug from collections where owner_id = $1 order by slug',
    [ownerId],
  )
  return rows
}

/**
 * Deletes a collection with its versions, jobs, pushes and the keys limited to it. Call `dropFormerSlugs` first. Its remains are handled in
 * upkeep/deleted-collections.ts.
 */
export async function deleteCollection(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from collections where id = $1', [id])
}
