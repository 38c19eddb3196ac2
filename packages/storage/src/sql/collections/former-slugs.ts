/** Former slugs of collections. A former slug redirects to its collection until another collection of the same owner takes it. */
import { boolean, index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { slugHash, slugKeptDays } from '../accounts/former-slugs.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { collections } from './collections.ts'

export const formerCollectionSlugs = pgTable(
  'former_collection_slugs',
  {
    /** The account that owned the slug. May no longer exist. */
    ownerId: uuid('owner_id').notNull(),
    slug: bytewiseText('slug').notNull(),
    /** Null if the collection was deleted. */
    collectionId: uuid('collection_id').references(() => collections.id, { onDelete: 'set null' }),
    /** True if the collection belongs to another account, or did when it was deleted. */
    given: boolean('given').notNull().default(false),
    /** True if a version was public under it. */
    published: boolean('published').notNull(),
    /** Until then, no collection of another owner may take the slug. Null: forever. */
    keptUntil: instant('kept_until'),
  },
  (t) => [
    primaryKey({ columns: [t.ownerId, t.slug] }),
    index('former_collection_slugs_collection').on(t.collectionId),
  ],
)

/** A collection with its current owner and slug. */
export interface CollectionPlace {
  readonly id: string
  readonly ownerId: string
  readonly slug: string
}

/**
 * Makes a slug redirect to its collection, which is about to give it up or to become private, until another collection takes it. Call it
 * before the change: it checks whether a version is public.
 */
export async function keepFormerSlug(
  tx: Tx,
  { id, ownerId, slug }: CollectionPlace,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into former_collection_slugs as former (owner_id, slug, collection_id, published, kept_until)
     select $2, $3, c.id, is_public, case when is_public then null else $4::timestamptz + make_interval(days => $5) end
       from collections c, lateral (select c.public and (c.head_id is not null or c.newest_withdrawn is not null)) as seen (is_public)
       where c.id = $1
     on conflict (owner_id, slug) do update set collection_id = excluded.collection_id, given = false,
       published = former.published or excluded.published,
       kept_until = case when former.kept_until is null then null else excluded.kept_until end`,
    [id, ownerId, slug, at, slugKeptDays],
  )
}

/** Updates `given` of a collection's former slugs after it changed owners: whether each was below another account. */
export async function noteGiven(tx: Tx, collectionId: string, ownerId: string): Promise<void> {
  await tx.query('update former_collection_slugs set given = owner_id <> $2 where collection_id = $1', [
    collectionId,
    ownerId,
  ])
}

/** Prepares the deletion of a collection: keeps only its former public slugs, without a target. */
export async function dropFormerSlugs(tx: Tx, collection: CollectionPlace, at: Date): Promise<void> {
  await keepFormerSlug(tx, collection, at)
  await tx.query('delete from former_collection_slugs where collection_id = $1 and not published', [
    collection.id,
  ])
}

/**
 * Slugs below an account under which readers know a collection of another owner.
 * @param asked.slugs Default: those of all collections of the account
 * @param asked.except id of a collection that may keep the slug under which readers know it
 */
export async function slugsKnownElsewhere(
  at: Queries,
  owner: { id: string; slug: string },
  { slugs, except }: { slugs?: readonly string[]; except?: string },
  now: Date,
): Promise<string[]> {
  const { rows } = await at.query<{ slug: string }>(
    `select f.slug from former_collection_slugs f
     where (f.owner_id = $1 or f.owner_id in (select account_id from former_account_slugs where slug_hash = $2))
       and f.slug in (select unnest($3::text[]) union all select slug from collections where $3 is null and owner_id = $1)
       and ($5::uuid is null or f.collection_id is distinct from $5) and (f.kept_until is null or f.kept_until > $4::timestamptz)
       and coalesce((select c.owner_id <> $1 from collections c where c.id = f.collection_id), f.given)`,
    [owner.id, slugHash(owner.slug), slugs, now, except],
  )
  return rows.map(({ slug }) => slug)
}

/** Those of `slugs` that collections of an account have. */
export async function collectionSlugsInUse(
  at: Queries,
  ownerId: string,
  slugs: readonly string[],
): Promise<string[]> {
  const { rows } = await at.query<{ slug: string }>(
    'select slug from collections where owner_id = $1 and slug = any($2::text[])',
    [ownerId, slugs],
  )
  return rows.map(({ slug }) => slug)
}

/** Deletes the slugs without a target of an account that is about to be deleted. */
export async function dropDeadSlugs(tx: Tx, ownerId: string): Promise<void> {
  await tx.query(
    'delete from former_collection_slugs where owner_id = $1 and collection_id is null and not given',
    [ownerId],
  )
}
