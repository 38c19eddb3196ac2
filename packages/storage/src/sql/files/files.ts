/**
 * Tables of files: each stored file once, by hash, and each collection's right to it. A hash alone gives no access: a reader needs the row
 * of a collection that the reader may see.
 */
import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { giveWay } from '../../turn.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'

/** Every stored file, once for all uploaders. Files that a version ever had are kept, even after their collections are deleted. */
export const files = pgTable(
  'files',
  {
    hash: bytewiseText('hash').primaryKey(),
    size: count('size').notNull(),
    /** True if any version of any collection has had the file. */
    used: boolean('used').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [index('files_unused').on(t.createdAt, t.hash).where(sql`not ${t.used}`)],
)

/**
 * A collection's rights to a file. Not a foreign key to `collections`: the rows of a deleted collection stay while it has
 * a fork, because they hold the content types of the files that the fork inherited.
 */
export const collectionFiles = pgTable(
  'collection_files',
  {
    collectionId: uuid('collection_id').notNull(),
    hash: bytewiseText('hash')
      .notNull()
      .references(() => files.hash),
    contentType: text('content_type').notNull(),
    /**
     * In the full view of some version of the collection: its members may read it. (They may also read what was uploaded to the
     * collection.)
     */
    inFull: boolean('in_full').notNull().default(false),
    /** In the public view of some version: anyone who may read the collection may read it. */
    inPublic: boolean('in_public').notNull().default(false),
    createdAt: instant('created_at').notNull(),
    /** Time of the last upload. */
    uploadedAt: instant('uploaded_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.collectionId, t.hash] }), index('collection_files_hash').on(t.hash)],
)

export type FileRow = typeof files.$inferSelect
export type CollectionFileRow = typeof collectionFiles.$inferSelect

/** Records that a file is stored. A repetition is harmless. */
export async function insertFile(tx: Tx, file: Omit<FileRow, 'used'>): Promise<void> {
  await tx.query(...insertInto(files, file, 'on conflict do nothing'))
}

/**
 * Records that a file was uploaded to a collection, and counts it as stored there. Returns false if it was uploaded before; the new content
 * type then replaces the old one.
 */
export async function insertCollectionFile(
  tx: Tx,
  file: { collectionId: string; hash: string; contentType: string; createdAt: Date },
): Promise<boolean> {
  const { collectionId, hash, contentType, createdAt: uploadedAt } = file
  const added = await tx.query(
    ...insertInto(collectionFiles, { ...file, uploadedAt }, 'on conflict do nothing returning 1'),
  )
  const isNew = added.rows.length > 0
  if (isNew) {
    const size = '(select size from files where hash = $2)'
    const text = `update collections set stored_bytes = stored_bytes + ${size} where id = $1`
    await tx.query(text, [collectionId, hash], 'count_file')
  } else {
    await tx.query(
      'update collection_files set content_type = $3, uploaded_at = $4 where collection_id = $1 and hash = $2',
      [collectionId, hash, contentType, uploadedAt],
    )
  }
  return isNew
}

/** A collection's row of a file, with the file's size. */
export interface KnownFile extends CollectionFileRow {
  size: number
}

/** A collection's rows of some files, in no order; unknown files are left out. */
export async function findCollectionFiles(
  at: Queries,
  collectionId: string,
  hashes: readonly string[],
): Promise<KnownFile[]> {
  const known: KnownFile[] = []
  await inSlices(hashes, async (some) => {
    const { rows } = await at.query<KnownFile>(
      `select ${columnsOf(collectionFiles)}, size from collection_files join files using (hash)
       where collection_id = $1 and collection_files.hash = any($2::text[])`,
      [collectionId, some],
    )
    known.push(...rows)
  })
  return known
}

/** Maximum number of hashes in one statement. The embedded database takes 5 µs a hash. */
const hashesMax = 1_000

async function inSlices(
  hashes: readonly string[],
  work: (some: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < hashes.length; start += hashesMax) {
    await work(hashes.slice(start, start + hashesMax))
    await giveWay()
  }
}

/** Content types and upload times of files that a fork's ancestors know, from the first ancestor in `ancestors` that has each. */
export async function findInheritedFiles(
  at: Queries,
  ancestors: readonly string[],
  hashes: readonly string[],
): Promise<CollectionFileRow[]> {
  if (ancestors.length === 0) return []
  const nearest = new Map<string, CollectionFileRow>()
  const distance = (row: CollectionFileRow) => ancestors.indexOf(row.collectionId)
  await inSlices(hashes, async (some) => {
    const { rows } = await at.query<CollectionFileRow>(
      `select ${columnsOf(collectionFiles)} from collection_files
       where collection_id = any($1::uuid[]) and hash = any($2::text[])`,
      [ancestors, some],
    )
    for (const row of rows) {
      const held = nearest.get(row.hash)
      if (held === undefined || distance(row) < distance(held)) nearest.set(row.hash, row)
    }
  })
  return [...nearest.values()]
}

/** Marks files as used by a version. @returns those that are recorded and will be kept; the others were dropped as old uploads. */
export async function markFilesUsed(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  await inSlices(hashes, async (some) => {
    const { rows } = await tx.query<{ hash: string }>(
      'update files set used = true where hash = any($1::text[]) returning hash',
      [some],
    )
    for (const { hash } of rows) known.add(hash)
  })
  return known
}

/**
 * Drops up to `max` files that no version ever had and that were last uploaded before `before`. Keeps files of collections with a running
 * push session, which may be about to refer to them. Call it behind the sweep gate, which uploads pass as well.
 * @returns the number of dropped files and their bytes; fewer than `max` files: none are left.
 */
export async function forgetOldUploads(
  tx: Tx,
  before: Date,
  max: number,
): Promise<{ files: number; bytes: number }> {
  const { rows } = await tx.query<{ size: number }>(
    `with old as materialized (
       select hash, size from files where not used and created_at < $1 and not exists (
         select from collection_files uploaded where uploaded.hash = files.hash and (uploaded_at >= $1 or exists (
           select from pushes where pushes.collection_id = uploaded.collection_id
             and status in ('open', 'checking', 'committing'))))
       order by created_at, hash limit $2 for update),
     uploads as (
       delete from collection_files using old where collection_files.hash = old.hash returning collection_id, size),
     counted as (
       update collections set stored_bytes = greatest(0, stored_bytes - gone.bytes)
       from (select collection_id, sum(size) as bytes from uploads group by collection_id) gone where id = gone.collection_id)
     delete from files using old where files.hash = old.hash returning files.size`,
    [before, max],
  )
  return { files: rows.length, bytes: rows.reduce((sum, row) => sum + row.size, 0) }
}

/** Records that files entered a view of some version of the collection. */
export const markFilesInViews = (
  tx: Tx,
  collectionId: string,
  entered: { full: readonly string[]; public: readonly string[] },
): Promise<void> => setInViews(tx, collectionId, entered, true)

/** Records that no version of the collection has the files in a view any longer. */
export const unmarkFilesInViews = (
  tx: Tx,
  collectionId: string,
  left: { full: readonly string[]; public: readonly string[] },
): Promise<void> => setInViews(tx, collectionId, left, false)

async function setInViews(
  tx: Tx,
  collectionId: string,
  files: { full: readonly string[]; public: readonly string[] },
  is: boolean,
): Promise<void> {
  const set = (hashes: readonly string[], column: 'in_full' | 'in_public') =>
    inSlices(hashes, async (some) => {
      await tx.query(
        `update collection_files set ${column} = $3 where collection_id = $1 and hash = any($2::text[])`,
        [collectionId, some, is],
      )
    })
  await set(files.full, 'in_full')
  await set(files.public, 'in_public')
}
