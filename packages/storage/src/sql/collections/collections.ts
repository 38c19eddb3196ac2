/** Collections. Lists of them are in collection-lists.ts. */
import { and, eq, inArray, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { boolean, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { placeholdersFor, prepared } from '../../database/look-ups.ts'
import { type AccountRow, accounts } from '../accounts/accounts.ts'
import { bytewiseText, count, instant, tsvector } from '../columns/columns.ts'
import { wordsOf } from '../columns/words.ts'

/**
 * The pairs of neighbouring characters in a folded name, and its single characters: what an index must hold to find names by one
 * or two characters, or by characters that are no letters, none of which trigrams serve. Immutable, so that an index may use it.
 */
export const gramsText = (foldedName: string): string => {
  const pairs = (text: string) => `regexp_replace(${text}, '(..)', E'\\\\1\\n', 'g')`
  const everyPair = `${pairs(foldedName)} || E'\\n' || ${pairs(`substr(${foldedName}, 2)`)}`
  return `(string_to_array(${everyPair}, E'\\n') || string_to_array(${foldedName}, null))`
}

export const collections = pgTable(
  'collections',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => accounts.id),
    slug: bytewiseText('slug').notNull(),
    name: text('name').notNull(),
    /** The name as it is searched and sorted, see `foldName`. */
    foldedName: bytewiseText('folded_name').notNull(),
    description: text('description'),
    public: boolean('public').notNull(),
    /** The head: the latest version. Moves only by compare-and-swap. Null before the first version. */
    headId: uuid('head_id'),
    /** `metadata.description` of the head, so that a list need not read documents. */
    headDescription: text('head_description'),
    /** The source of a fork, which may be gone by now. */
    forkedFromId: uuid('forked_from_id'),
    forkedFromSemver: text('forked_from_semver'),
    /** The source, its source, and so on, nearest first: where the content types of inherited files are known. */
    ancestors: uuid('ancestors').array().notNull().default(sql`'{}'::uuid[]`),
    /** Semver of the newest version that was withdrawn, with its `v`: no later version has a lower number. Null: none was. */
    newestWithdrawn: text('newest_withdrawn'),
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
    index('collections_ancestors').using('gin', t.ancestors),
  ],
)

/** Words that `search` finds a collection by. A separate table: a moving head leaves it alone unless the description changes. */
export const collectionWords = pgTable(
  'collection_words',
  {
    collectionId: uuid('collection_id')
      .primaryKey()
      .references(() => collections.id, { onDelete: 'cascade' }),
    /** Of the slug and the name. */
    name: tsvector('name').notNull(),
    /** Of the owner's slug and name. */
    owner: tsvector('owner').notNull(),
    description: tsvector('description').notNull(),
    /** Null: the head's metadata has no description. Else it counts in place of `description`. */
    headDescription: tsvector('head_description'),
  },
  (t) => [
    index('collection_words_names').using('gin', namesOf(t)).with({ fastupdate: false }),
    index('collection_words_all').using('gin', allWordsOf(t)).with({ fastupdate: false }),
  ],
)

type WordColumns = Record<'name' | 'owner' | 'description' | 'headDescription', SQLWrapper>
/** As the indexes have it. */
export const namesOf = ({ name, owner }: Pick<WordColumns, 'name' | 'owner'>): SQL =>
  sql`(${name} || ${owner})`
export const allWordsOf = ({ name, owner, description, headDescription }: WordColumns): SQL =>
  sql`(${name} || ${owner} || coalesce(${headDescription}, ${description}))`

export type CollectionRow = typeof collections.$inferSelect

/** A name as it is searched and sorted: every character in lower case on its own, the same on every database and locale. */
export function foldName(name: string): string {
  let folded = ''
  // Maps single characters to single characters: a pair never straddles an original character, and `Σ` does not depend on its place.
  for (const character of name) folded += String.fromCodePoint(character.toLowerCase().codePointAt(0) ?? 0)
  return folded
}

/** Of an account, by which its collections are found. */
export type OwnerNames = Pick<AccountRow, 'slug' | 'displayName'>

const nameWords = ({ slug, name }: Pick<CollectionRow, 'slug' | 'name'>) => wordsOf(`${slug} ${name}`, 'A')
const ownerWords = ({ slug, displayName }: OwnerNames) => wordsOf(`${slug} ${displayName}`, 'B')
/** Of a description, in lists as in metadata. */
export const descriptionWords = (text: string | null): string => wordsOf(text ?? '', 'C')

/** A new collection's row of words. */
export const wordsRow = (
  row: Omit<CollectionRow, 'foldedName'>,
  owner: OwnerNames,
): typeof collectionWords.$inferSelect => ({
  collectionId: row.id,
  name: nameWords(row),
  owner: ownerWords(owner),
  description: descriptionWords(row.description),
  headDescription: row.headDescription === null ? null : descriptionWords(row.headDescription),
})

/** @throws a unique violation of `collections_owner_slug` when the owner has the slug, a foreign key violation when it is gone. */
export async function insertCollection(
  tx: Tx,
  row: Omit<CollectionRow, 'foldedName'>,
  owner: OwnerNames,
): Promise<void> {
  await collectionInserted(tx, { ...row, foldedName: foldName(row.name) })
  await tx.orm.insert(collectionWords).values(wordsRow(row, owner))
}

/** After its owner is renamed. Writes a row for each of its collections. */
export async function renameOwnerOfCollections(tx: Tx, ownerId: string, owner: OwnerNames): Promise<void> {
  await tx.query(
    `update collection_words set owner = $2::tsvector from collections
     where collections.id = collection_words.collection_id and collections.owner_id = $1 and owner <> $2::tsvector`,
    [ownerId, ownerWords(owner)],
  )
}

const collectionInserted = prepared((orm) =>
  orm.insert(collections).values(placeholdersFor(collections)).prepare('insert_collection'),
)

/** Locks the row until the transaction ends: `update` against everyone, `key share` against deletion only. */
export async function lockCollection(
  tx: Tx,
  id: string,
  strength: 'update' | 'key share',
): Promise<CollectionRow | undefined> {
  const [row] = await collectionLocked[strength](tx, { id })
  return row
}

const locking = (strength: 'update' | 'key share') =>
  prepared((orm) =>
    orm
      .select()
      .from(collections)
      .where(eq(collections.id, sql.placeholder('id')))
      .for(strength)
      .prepare(`lock_collection_${strength}`),
  )
const collectionLocked = {
  update: locking('update'),
  'key share': locking('key share'),
}

/** @throws a unique violation of `collections_owner_slug`. */
export async function updateCollection(
  tx: Tx,
  id: string,
  next: Pick<CollectionRow, 'slug' | 'name' | 'description' | 'public' | 'updatedAt'>,
): Promise<void> {
  await tx.orm
    .update(collections)
    .set({ ...next, foldedName: foldName(next.name) })
    .where(eq(collections.id, id))
  await tx.orm
    .update(collectionWords)
    .set({ name: nameWords(next), description: descriptionWords(next.description) })
    .where(eq(collectionWords.collectionId, id))
}

/**
 * Makes another version the head, after the head was withdrawn. Null if no readable version is left.
 * @param description of the new head's metadata; null: it has none
 */
export async function moveHead(
  tx: Tx,
  id: string,
  { headId, description, updatedAt }: { headId: string | null; description: string | null; updatedAt: Date },
): Promise<void> {
  await tx.orm
    .update(collections)
    .set({ headId, headDescription: description, updatedAt })
    .where(eq(collections.id, id))
  await tx.orm
    .update(collectionWords)
    .set({ headDescription: description === null ? null : descriptionWords(description) })
    .where(eq(collectionWords.collectionId, id))
}

/** Says which is the newest number that was withdrawn. */
export async function keepWithdrawnNumber(tx: Tx, id: string, newestWithdrawn: string): Promise<void> {
  await tx.orm.update(collections).set({ newestWithdrawn }).where(eq(collections.id, id))
}

/** Gives a collection to another account, there under `slug`. @throws a unique violation of `collections_owner_slug`. */
export async function giveCollection(
  tx: Tx,
  { id, slug, name, updatedAt }: Pick<CollectionRow, 'id' | 'slug' | 'name' | 'updatedAt'>,
  owner: OwnerNames & Pick<AccountRow, 'id'>,
): Promise<void> {
  await tx.orm.update(collections).set({ ownerId: owner.id, slug, updatedAt }).where(eq(collections.id, id))
  await tx.orm
    .update(collectionWords)
    .set({ owner: ownerWords(owner), name: nameWords({ slug, name }) })
    .where(eq(collectionWords.collectionId, id))
}

/** Owners of the private collections that a fork was made of, its source's sources included, without its own owner. */
export async function ownersOfPrivateSources(
  at: Queries,
  { ownerId, ancestors }: Pick<CollectionRow, 'ownerId' | 'ancestors'>,
): Promise<AccountRow[]> {
  if (ancestors.length === 0) return []
  const sources = at.orm
    .select({ ownerId: collections.ownerId })
    .from(collections)
    .where(and(inArray(collections.id, ancestors), eq(collections.public, false)))
  return at.orm
    .select()
    .from(accounts)
    .where(and(inArray(accounts.id, sources), ne(accounts.id, ownerId)))
}

/** Those of `ids` that are public collections. */
export async function publicAmong(at: Queries, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await at.query('select id from collections where public and id = any($1::uuid[])', [
    [...ids],
  ])
  return new Set(rows.map(({ id }) => String(id)))
}

/** By slug. */
export async function collectionsOfAccount(
  at: Queries,
  ownerId: string,
): Promise<Pick<CollectionRow, 'id' | 'slug'>[]> {
  return at.orm
    .select({ id: collections.id, slug: collections.slug })
    .from(collections)
    .where(eq(collections.ownerId, ownerId))
    .orderBy(collections.slug)
}

/**
 * With its versions, jobs, pushes and the keys limited to it. Call `dropFormerSlugs` before. What it leaves is in
 * collection-leavings.ts.
 */
export async function deleteCollection(tx: Tx, id: string): Promise<void> {
  await tx.orm.delete(collections).where(eq(collections.id, id))
}
