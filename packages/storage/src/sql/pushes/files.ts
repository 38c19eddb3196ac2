/** Files that push sessions declare. */
import type { Queries } from '../../database/database.ts'

/** Hashes of the files that a session declared; none when there is no session. */
export async function listPushFiles(at: Queries, id: string): Promise<string[]> {
  const { rows } = await at.query<{ files: string[] }>('select files from pushes where id = $1', [id])
  return rows[0]?.files ?? []
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
