/** Deletes collections: rows at once, file references and batches by background work, stored objects by the sweep. http-api §4. */

import {
  claimDeletions,
  deleteCollection,
  dropFormerSlugs,
  finishDeletion,
  forgetFiles,
  insertDeletion,
  listPushesWithSpills,
  lockCollection,
  putOffDeletion,
  spillsPrefix,
} from '@ulmus/storage'
import type { CollectionPath } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandStill } from '../access/authority.ts'
import { findCollectionTo } from '../access/find-collection.ts'
import { audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { messageOf } from '../failed-tasks.ts'
import { demandCaller, type Principal } from '../principal.ts'

/** Rows that one transaction deletes from the files of a deleted collection. */
const forgottenAtOnce = 5_000
/** Of two processes that remove the same remains, after this lease, neither does harm. Seconds. */
const leaseSeconds = 60
/** Deletions whose remains one process removes at the same time. */
const atOnce = 2
/** Pause after the first failure; it doubles with each further one. Seconds. */
const [pauseSeconds, pauseSecondsMax] = [2, 600]

/** Defines the removal of remains. Call it before the jobs start. */
export function defineForgetting(context: Context): void {
  const { database, jobs, log } = context
  const running = new Set<string>()
  jobs.take('deletions', {
    atOnce,
    claim: (most) =>
      database.transactOnce((tx) =>
        claimDeletions(tx, { most, seconds: leaseSeconds, except: [...running] }),
      ),
    async run({ id, collectionIds, pushIds, attempts }) {
      running.add(id)
      try {
        for (const collectionId of collectionIds) await forgetAll(context, collectionId)
        for (const pushId of pushIds) await dropPush(context, pushId)
        await database.transactOnce((tx) => finishDeletion(tx, id))
      } catch (error) {
        log.error({ err: error, deletion: id }, 'the remains of a deleted collection could not be removed')
        const seconds = Math.min(pauseSeconds * 2 ** (attempts - 1), pauseSecondsMax)
        await database.transactOnce((tx) => putOffDeletion(tx, id, seconds, messageOf(error)))
      } finally {
        running.delete(id)
      }
    },
  })
}

/** Deletes the rows, and notes the rest for background work in the same transaction. @throws as `remove` of collections.ts */
export async function removeCollection(
  context: Context,
  who: Principal,
  path: CollectionPath,
): Promise<{ ok: true }> {
  const { collection, owner } = await findCollectionTo('delete', context, who, path)
  await audited(context, who, async (tx, tell) => {
    const acting = { who: demandCaller(who), collection, owner }
    const locked = await lockCollection(tx, collection.id, 'update')
    await demandStill(context, tx, acting, 'delete')
    const pushIds = await listPushesWithSpills(tx, collection.id)
    if (locked !== undefined) await dropFormerSlugs(tx, locked, context.now())
    await deleteCollection(tx, collection.id)
    // Ancestors may be deleted already: they kept their records of files only for this fork.
    const collectionIds = [collection.id, ...collection.ancestors]
    await insertDeletion(tx, { id: newId(), collectionIds, pushIds, deletedAt: context.now() })
    const target = `${owner.slug}/${collection.slug}`
    tell({ action: 'collection.deleted', account: owner.id, target })
  })
  context.jobs.wake('deletions')
  return { ok: true }
}

async function forgetAll(context: Context, collectionId: string): Promise<void> {
  for (let dropped = forgottenAtOnce; dropped === forgottenAtOnce; ) {
    dropped = await context.database.transact((tx) => forgetFiles(tx, collectionId, forgottenAtOnce))
  }
}

/** Drops the received data of an unfinished push session. */
async function dropPush(context: Context, pushId: string): Promise<void> {
  for await (const blob of context.blobs.list(spillsPrefix(pushId))) await context.blobs.remove(blob.name)
}
