/**
 * Table of deletions whose remains are still stored: spills and rows of files, which a deletion leaves to background work because they may
 * be many.
 */
import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'
import { isLeaseOver, leaseUntil } from '../columns/leases.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'

export const deletions = pgTable('deletions', {
  id: uuid('id').primaryKey(),
  /** The deleted collection, and its ancestors, which may be deleted already. */
  collectionIds: uuid('collection_ids').array().notNull(),
  /** Sessions with spills in the blob store. */
  pushIds: uuid('push_ids').array().notNull(),
  deletedAt: instant('deleted_at').notNull(),
  attempts: integer('attempts').notNull().default(0),
  lastError: text('last_error'),
  /** When a process may take it. By the database's clock. */
  leaseUntil: instant('lease_until'),
})
export type DeletionRow = typeof deletions.$inferSelect

/** Longest lease, and longest pause after a failure. Seconds. */
const leaseSecondsMax = 600
/** True for deletions whose remains no process removes, after any pause. */
export const isDeletionDue = isLeaseOver(leaseSecondsMax)

export async function insertDeletion(
  tx: Tx,
  deletion: Pick<DeletionRow, 'id' | 'collectionIds' | 'pushIds' | 'deletedAt'>,
): Promise<void> {
  await tx.query(...insertInto(deletions, deletion))
}

/** Takes deletions, the oldest first. @param except those running in the caller's process, although their leases have expired */
export async function claimDeletions(
  tx: Tx,
  { most, seconds, except }: { most: number; seconds: number; except: readonly string[] },
): Promise<DeletionRow[]> {
  const { rows } = await tx.query<DeletionRow>(
    `update deletions set lease_until = ${leaseUntil('$2')}, attempts = attempts + 1
     where id in (
       select id from deletions where ${isDeletionDue} and id <> all($3::uuid[])
       order by deleted_at limit $1 for update skip locked)
     returning ${columnsOf(deletions)}`,
    [most, seconds, except],
  )
  return rows
}

/** Nothing of the deletion remains. */
export async function finishDeletion(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from deletions where id = $1', [id])
}

/** @param seconds until the next attempt, at most `leaseSecondsMax` */
export async function putOffDeletion(tx: Tx, id: string, seconds: number, error: string): Promise<void> {
  await tx.query(`update deletions set lease_until = ${leaseUntil('$2')}, last_error = $3 where id = $1`, [
    id,
    seconds,
    error,
  ])
}

/** Ids of the collection's push sessions with spills in the blob store. Call it before the deletion, which removes the rows. */
export async function listPushesWithSpills(at: Queries, collectionId: string): Promise<string[]> {
  const { rows } = await at.query<{ id: string }>(
    'select distinct id from pushes join push_spills on push_id = id where collection_id = $1',
    [collectionId],
  )
  return rows.map(({ id }) => id)
}

/** True if a collection, a fork of it, or a fork of that still exists. */
async function isRemembered(at: Queries, id: string): Promise<boolean> {
  for (const remembers of ['id = $1', 'ancestors @> array[$1::uuid]']) {
    const { rows } = await at.query(`select from collections where ${remembers} limit 1`, [id])
    if (rows.length > 0) return true
  }
  return false
}

/**
 * Drops up to `max` file rows of a deleted collection, unless it has a fork, which may have inherited files.
 * @returns the number of dropped rows; fewer than `max`: none are left.
 */
export async function forgetFiles(tx: Tx, collectionId: string, max: number): Promise<number> {
  if (await isRemembered(tx, collectionId)) return 0
  const { rows } = await tx.query(
    `delete from collection_files where collection_id = $1
       and hash in (select hash from collection_files where collection_id = $1 limit $2) returning 1`,
    [collectionId, max],
  )
  return rows.length
}
