/** How a metadata update lands: its pack, its version and the end of its job in one statement, which is one round trip and one commit. */
import type { StoredPack } from '../objects/pack.ts'
import type { Tx } from './database.ts'
import { gatePassed, inOrder, packColumns, packInserted } from './objects.ts'
import { headMove, headMoved, type Landing } from './versions.ts'

const job = '$12'
const finishedAt = '$13'
const { moved, inserted } = headMoved(14, 'job')
const made = '$14'

const landing = `with ${gatePassed},
  job as (
    select metadata_jobs.id from gate, metadata_jobs where metadata_jobs.id = ${job} and status = 'running'
    for update of metadata_jobs),
  ${moved},
  finished as (
    update metadata_jobs
    set status = 'completed', patch = null, result_version_id = ${made}, finished_at = ${finishedAt}
    from moved where metadata_jobs.id = ${job}),
  ${packInserted('moved')}
  ${inserted}`

/**
 * The same as `recordPacks`, `landVersion` and `finishMetadataJob` in one transaction, for a pack that `isOneStatement`. A single
 * statement.
 * @throws a violation of `objectsKey` when the index holds one of the objects.
 * @returns false, and nothing happens, when the head is not `from`, the collection is gone or the job has ended.
 */
export async function landMetadataUpdate(
  tx: Tx,
  update: Landing & { job: string; pack: StoredPack; at: Date },
): Promise<boolean> {
  const { pack } = update
  const ended = [update.job, update.at.toISOString()]
  const values = [...packColumns(pack, inOrder(pack.entries)), ...ended, ...headMove(update)]
  return (await tx.query(landing, values, 'land_metadata_update')).rows.length === 1
}
