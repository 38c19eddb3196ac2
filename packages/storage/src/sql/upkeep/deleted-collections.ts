/** Remains of a deleted collection, for a later sweep. */
import { and, arrayContains, eq, inArray } from 'drizzle-orm'
import type { Queries, Tx } from '../../database/database.ts'
import { collections } from '../collections/collections.ts'
import { collectionFiles } from '../files/files.ts'
import { pushes, pushSpills } from '../pushes/pushes.ts'

/** Ids of the collection's push sessions whose spills are in the blob store. Asked before the deletion, which takes the rows. */
export async function listPushesWithSpills(at: Queries, collectionId: string): Promise<string[]> {
  const rows = await at.orm
    .selectDistinct({ id: pushes.id })
    .from(pushes)
    .innerJoin(pushSpills, eq(pushSpills.pushId, pushes.id))
    .where(eq(pushes.collectionId, collectionId))
  return rows.map((row) => row.id)
}

/** Whether a collection, a fork of it, or a fork of that still exists. */
async function isRemembered(at: Queries, id: string): Promise<boolean> {
  const itself = at.orm.select({ id: collections.id }).from(collections).where(eq(collections.id, id))
  const forks = at.orm
    .select({ id: collections.id })
    .from(collections)
    .where(arrayContains(collections.ancestors, [id]))
    .limit(1)
  return (await itself).length > 0 || (await forks).length > 0
}

/**
 * Drops up to `max` rows of what a deleted collection knew of files, unless a fork of it lives, which may have inherited some.
 * @returns how many were dropped; fewer than `max`: all are.
 */
export async function forgetFiles(tx: Tx, collectionId: string, max: number): Promise<number> {
  if (await isRemembered(tx, collectionId)) return 0
  const some = tx.orm
    .select({ hash: collectionFiles.hash })
    .from(collectionFiles)
    .where(eq(collectionFiles.collectionId, collectionId))
    .limit(max)
  const dropped = await tx.orm
    .delete(collectionFiles)
    .where(and(eq(collectionFiles.collectionId, collectionId), inArray(collectionFiles.hash, some)))
    .returning({ hash: collectionFiles.hash })
  return dropped.length
}
