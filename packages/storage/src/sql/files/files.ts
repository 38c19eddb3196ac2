/** Files by hash, and which collection knows which. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { giveWay } from '../../turn.ts'
import { bytewiseText, count, instant, isAmong } from '../columns/columns.ts'

/** Every stored file, once, for all uploaders. Files that a version ever had are kept, also when collections go. */
export const files = pgTable(
  'files',
  {
    hash: bytewiseText('hash').primaryKey(),
    size: count('size').notNull(),
    /** Whether a version had it, of whichever collection. */
    used: boolean('used').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [index('files_unused').on(t.createdAt, t.hash).where(sql`not ${t.used}`)],
)

/**
 * What a collection may do with a file. No reference to `collections`: the rows of a deleted collection stay while a fork of
 * it lives, because they hold the content types of the files that the fork inherited.
 */
export const collectionFiles = pgTable(
  'collection_files',
  {
    collectionId: uuid('collection_id').notNull(),
    hash: bytewiseText('hash')
      .notNull()
      .references(() => files.hash),
    contentType: text('content_type').notNull(),
    /** In the full view of some version of the collection: its members may read it. (What a row exists for was uploaded to it: they may, too.) */
    inFull: boolean('in_full').notNull().default(false),
    /** In the public view of some version: readable with the collection. */
    inPublic: boolean('in_public').notNull().default(false),
    createdAt: instant('created_at').notNull(),
    /** When it last was. */
    uploadedAt: instant('uploaded_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.collectionId, t.hash] }), index('collection_files_hash').on(t.hash)],
)

export type FileRow = typeof files.$inferSelect
export type CollectionFileRow = typeof collectionFiles.$inferSelect

/** Records that a file is stored. Knowing it twice is harmless. */
export async function insertFile(tx: Tx, file: Omit<FileRow, 'used'>): Promise<void> {
  await tx.orm.insert(files).values(file).onConflictDoNothing()
}

/**
 * Records that a file was uploaded to a collection, and counts it as stored there; false when it had been before (its content type is then
 * the new one's).
 */
export async function insertCollectionFile(
  tx: Tx,
  file: { collectionId: string; hash: string; contentType: string; createdAt: Date },
): Promise<boolean> {
  const uploaded = { ...file, uploadedAt: file.createdAt }
  const added = await tx.orm
    .insert(collectionFiles)
    .values(uploaded)
    .onConflictDoNothing()
    .returning({ hash: collectionFiles.hash })
  const { collectionId, hash, contentType, uploadedAt } = uploaded
  if (added.length > 0) {
    const size = '(select size from files where hash = $2)'
    const text = `update collections set stored_bytes = stored_bytes + ${size} where id = $1`
    await tx.query(text, [collectionId, hash], 'count_file')
  } else {
    await tx.orm
      .update(collectionFiles)
      .set({ contentType, uploadedAt })
      .where(and(eq(collectionFiles.collectionId, collectionId), eq(collectionFiles.hash, hash)))
  }
  return added.length > 0
}

export interface KnownFile extends CollectionFileRow {
  size: number
}

/** A collection's facts about some files, in no order; unknown files are left out. */
export async function findCollectionFiles(
  at: Queries,
  collectionId: string,
  hashes: readonly string[],
): Promise<KnownFile[]> {
  const known: KnownFile[] = []
  await inSlices(hashes, async (some) => {
    const rows = await at.orm
      .select({ file: collectionFiles, size: files.size })
      .from(collectionFiles)
      .innerJoin(files, eq(files.hash, collectionFiles.hash))
      .where(and(eq(collectionFiles.collectionId, collectionId), isAmong(collectionFiles.hash, some)))
    for (const { file, size } of rows) known.push({ ...file, size })
  })
  return known
}

/** Hashes in one statement at most. The embedded database runs each on the event loop, 5 µs a hash. */
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

/** Content types and upload times of files as the ancestors of a fork know them, whichever ancestor comes first in `ancestors`. */
export async function findInheritedFiles(
  at: Queries,
  ancestors: readonly string[],
  hashes: readonly string[],
): Promise<CollectionFileRow[]> {
  if (ancestors.length === 0) return []
  const nearest = new Map<string, CollectionFileRow>()
  const distance = (row: CollectionFileRow) => ancestors.indexOf(row.collectionId)
  await inSlices(hashes, async (some) => {
    const rows = await at.orm
      .select()
      .from(collectionFiles)
      .where(and(inArray(collectionFiles.collectionId, [...ancestors]), isAmong(collectionFiles.hash, some)))
    for (const row of rows) {
      const held = nearest.get(row.hash)
      if (held === undefined || distance(row) < distance(held)) nearest.set(row.hash, row)
    }
  })
  return [...nearest.values()]
}

/** Says of files that a version has them. @returns those that are recorded, and so stay; others were forgotten as old uploads. */
export async function markFilesUsed(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  await inSlices(hashes, async (some) => {
    const rows = await tx.orm
      .update(files)
      .set({ used: true })
      .where(isAmong(files.hash, some))
      .returning({ hash: files.hash })
    for (const { hash } of rows) known.add(hash)
  })
  return known
}

/**
 * Forgets up to `max` files that no version ever had, last uploaded before `before`, but for those of collections with a push session
 * under way, which may be about to refer to them. To be called behind the sweep gate, which uploads pass as well.
 * @returns how many were forgotten, and what they take; fewer than `max`: all are.
 */
export async function forgetOldUploads(
  tx: Tx,
  before: Date,
  max: number,
): Promise<{ files: number; bytes: number }> {
  const { rows } = await tx.query(
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
    [before.toISOString(), max],
  )
  return { files: rows.length, bytes: rows.reduce((sum, row) => sum + Number(row['size']), 0) }
}

/** Records that files entered a view of some version of the collection. */
export const markFilesInViews = (
  tx: Tx,
  collectionId: string,
  entered: { full: readonly string[]; public: readonly string[] },
): Promise<void> => setInViews(tx, collectionId, entered, true)

/** Records that no version of the collection has the files in a view any more. */
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
  const set = (hashes: readonly string[], columns: { inFull?: boolean; inPublic?: boolean }) =>
    inSlices(hashes, async (some) => {
      await tx.orm
        .update(collectionFiles)
        .set(columns)
        .where(and(eq(collectionFiles.collectionId, collectionId), isAmong(collectionFiles.hash, some)))
    })
  await set(files.full, { inFull: is })
  await set(files.public, { inPublic: is })
}
