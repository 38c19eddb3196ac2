/** Deletes collections: rows at once, file references and batches by a background job, stored objects by the sweep. http-api §4. */

import {
  deleteCollection,
  dropFormerSlugs,
  forgetFiles,
  listPushesWithSpills,
  lockCollection,
  spillsPrefix,
} from '@ulmus/storage'
import type { CollectionPath } from '@ulmus/wire'
import { demandStill } from '../access/authority.ts'
import { findVisibleCollection } from '../access/find-collection.ts'
import { mayDeleteCollection } from '../access/policy.ts'
import { audited } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'

/** Rows that one transaction deletes from the files of a deleted collection. */
const forgottenAtOnce = 5_000
/** Queue of the background job. Its name and payload are stored: jobs of an earlier release must still run. */
const sweeping = 'sweep-deleted-collection'

/** Defines the background job of deletions. Call it before the jobs start. */
export function defineForgetting(context: Context): void {
  context.jobs.define(sweeping, async ({ collectionIds, pushIds }) => {
    for (const id of collectionIds as string[]) await forgetAll(context, id)
    for (const id of pushIds as string[]) await dropPush(context, id)
  })
}

/** Deletes the rows, and enqueues the job for the rest in the same transaction. @throws as `remove` of collections.ts */
export async function removeCollection(
  context: Context,
  who: Principal,
  path: CollectionPath,
): Promise<{ ok: true }> {
  const { collection, owner, role } = await findVisibleCollection(context, who, path)
  demand(mayDeleteCollection(who, collection, role), { owner: owner.slug, needed: 'admin' })
  await audited(context, who, async (tx, tell) => {
    const acting = { who: demandCaller(who), collection, owner }
    const locked = await lockCollection(tx, collection.id, 'update')
    await demandStill(context, tx, acting, mayDeleteCollection)
    const pushIds = await listPushesWithSpills(tx, collection.id)
    if (locked !== undefined) await dropFormerSlugs(tx, locked, context.now())
    await deleteCollection(tx, collection.id)
    // Ancestors may be deleted already: they kept their records of files only for this fork.
    const collectionIds = [collection.id, ...collection.ancestors]
    await context.jobs.enqueue(tx, sweeping, { collectionIds, pushIds })
    const target = `${owner.slug}/${collection.slug}`
    tell({ action: 'collection.deleted', account: owner.id, target })
  })
  context.jobs.poke(sweeping)
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
