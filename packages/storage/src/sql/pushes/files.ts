/**
 * Reads the list of files that a push session declared, a column of `pushes`. A separate file, because it may have a hundred thousand
 * hashes and the other statements leave it out.
 */
import type { Queries } from '../../database/database.ts'

/** Hashes of the files that a session declared; empty if there is no session. */
export async function listPushFiles(at: Queries, id: string): Promise<string[]> {
  const { rows } = await at.query<{ files: string[] }>('select files from pushes where id = $1', [id])
  return rows[0]?.files ?? []
}

/**
 * Number of files that a session declared, and the hashes of those not uploaded to its collection, ascending, after `after` and at
 * most `limit`. There may be a hundred thousand, so the database filters them. Undefined: no session.
 */
export async function findLackingFiles(
  at: Queries,
  id: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ total: number; lacking: string[] } | undefined> {
  const { rows } = await at.query<{ total: number; lacking: string[] }>(
    `select cardinality(files) as total, array(
       select file.hash from unnest(files) as file (hash)
       where file.hash collate "C" > $2 and not exists (
         select from collection_files uploaded where uploaded.collection_id = pushes.collection_id and uploaded.hash = file.hash)
       order by file.hash collate "C" limit $3) as lacking
     from pushes where id = $1`,
    [id, after, limit],
  )
  return rows[0]
}
