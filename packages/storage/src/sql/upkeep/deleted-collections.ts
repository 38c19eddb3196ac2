/** Statements on the remains of deleted collections: spills and rows of files, which a deletion leaves to jobs because they may be many. */
import type { Queries, Tx } from '../../database/database.ts'

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
