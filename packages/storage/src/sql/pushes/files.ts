/** Files that push sessions declare. */
import { eq, sql } from 'drizzle-orm'
import type { Queries } from '../../database/database.ts'
import { collectionFiles } from '../files/files.ts'
import { pushes } from './pushes.ts'

/** Hashes of the files that a session declared; none when there is no session. */
export async function listPushFiles(at: Queries, id: string): Promise<string[]> {
  const [row] = await at.orm.select({ files: pushes.files }).from(pushes).where(eq(pushes.id, id))
  return row?.files ?? []
}

/**
 * How many files a session declared, and hashes of those that were not uploaded to its collection, ascending: those after `after`, as
 * many as `limit`. There may be a hundred thousand: the database tells them apart. Undefined: no session.
 */
export async function findLackingFiles(
  at: Queries,
  id: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ total: number; lacking: string[] } | undefined> {
  const uploaded = sql`select from ${collectionFiles} where ${collectionFiles.collectionId} = ${pushes.collectionId}
    and ${collectionFiles.hash} = file.hash`
  const lacking = sql<string[]>`array(select file.hash from unnest(${pushes.files}) as file (hash)
    where file.hash collate "C" > ${after} and not exists (${uploaded}) order by file.hash collate "C" limit ${limit})`
  const [row] = await at.orm
    .select({ total: sql`cardinality(${pushes.files})`.mapWith(Number), lacking })
    .from(pushes)
    .where(eq(pushes.id, id))
  return row
}
