/** How a metadata update lands: its pack, its version and the end of its job in one statement, which is one round trip and one commit. */

import type { Tx } from '../../database/database.ts'
import type { StoredPack } from '../../packs/pack.ts'
import { type Authority, authorityColumnCount, authorityColumns, authorityHeld } from '../access/authority.ts'
import { entryRows, gatePassed, inOrder, packColumns, packInserted } from '../objects/objects.ts'
import { headMove, headMoved, type Landing } from '../versions/versions.ts'

/** No pack's id: they begin with 1. A row may not point there. */
const noPack = 0

/** The index lacked one of the entries when the statement began. */
const anyIsNew = `exists (
     select from ${entryRows}
     where not exists (select from objects o where o.hash = entry.hash and o.kind = entry.kind))`

/**
 * What the index holds is relied on at once: it keeps its place and is pardoned, mostly with nothing to write. `on conflict` waits for
 * whoever has the row and sees it as it is then, not as it was when the statement began, perhaps before the gate. What has bases
 * may not be relied on like that: they would have to be, too.
 */
const reliesAtOnce = `on conflict (hash, kind) do update
     set condemned = null, pack_id = case when objects.bases = '{}' then objects.pack_id else ${noPack} end
     where objects.condemned is not null or objects.bases <> '{}'`

/** A pack that has nothing new is not recorded. Should an object then be gone when its turn comes, it has no place. */
const packLanded = packInserted({
  when: `moved where ${anyIsNew}`,
  pack: `(select coalesce((select id from pack), ${noPack}) as id from moved) as pack`,
  conflict: reliesAtOnce,
})

const job = '$12'
const finishedAt = '$13'
const authorityFirst = 14
const headFirst = authorityFirst + authorityColumnCount
const { moved, inserted } = headMoved(headFirst, { when: 'authority', ownerId: `$${authorityFirst}` })
const made = `$${headFirst}`

const landing = `with ${gatePassed},
  job as (
    select metadata_jobs.id from gate, metadata_jobs where metadata_jobs.id = ${job} and status = 'running'
    for update of metadata_jobs),
  place as (
    select collections.id from job, collections where collections.id = $${headFirst + 3} for no key update of collections),
  ${authorityHeld(authorityFirst, 'place')},
  ${moved},
  finished as (
    update metadata_jobs
    set status = 'completed', patch = null, result_version_id = ${made}, finished_at = ${finishedAt}
    from moved where metadata_jobs.id = ${job}),
  ${packLanded}
  ${inserted}`

/**
 * The same as `recordPacks`, `landVersion` and `finishMetadataJob` in one transaction, for a pack that `isOneStatement`, whether the
 * index holds its objects or not. A single statement.
 * @throws a violation of `objectsPackKey`, and nothing happens, when those must do it: an object is there as a delta, or a sweep has
 *   removed one at this moment.
 * @returns false, and nothing happens, when the head is not `from`, the collection is gone or another's, the authority is not good or the
 *   job has ended.
 */
export async function landMetadataUpdate(
  tx: Tx,
  update: Landing & { job: string; pack: StoredPack; at: Date; by: Authority },
): Promise<boolean> {
  const { pack } = update
  const ended = [update.job, update.at.toISOString()]
  const values = [
    ...packColumns(pack, inOrder(pack.entries)),
    ...ended,
    ...authorityColumns(update.by),
    ...headMove(update),
  ]
  return (await tx.query(landing, values, 'land_metadata_update')).rows.length === 1
}
