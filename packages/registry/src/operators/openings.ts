/**
 * Operators open a collection to judge its private content: for an hour, with a reason, recorded in the audit log of its owner. The look-up
 * of collections (`access/find-collection.ts`) lets them read meanwhile, and never write.
 */
import { findCollectionByPath, lockCollection, putOpening } from '@ulmus/storage'
import type { CollectionPath, OpenedCollection } from '@ulmus/wire'
import { demandCredential } from '../access/authority.ts'
import { demandOperator } from '../access/operators.ts'
import { mayOpenAsOperator } from '../access/policy.ts'
import { isAccountSlug, isCollectionSlug } from '../access/slugs.ts'
import { audited } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'

/** Life of an opening. Seconds. */
export const openingSeconds = 3_600

export const openingsOf = (context: Context) => ({
  /**
   * Opens a collection of any visibility to the browser sessions of the calling operator. Again: from now on, with another reason.
   * @throws session_required, collection_not_found
   */
  async open(who: Principal, path: CollectionPath, reason: string): Promise<OpenedCollection> {
    const caller = await demandOperator(context, who)
    demand(mayOpenAsOperator(caller))
    const gone = () => new RegistryError('collection_not_found', { say: path })
    if (!isAccountSlug(path.owner) || !isCollectionSlug(path.slug)) throw gone()
    const found = await findCollectionByPath(context.database, path, null)
    if (found === undefined) throw gone()
    const until = new Date(context.now().getTime() + openingSeconds * 1_000)
    await audited(context, caller, async (tx, tell) => {
      const collection = await lockCollection(tx, found.collection.id, 'key share')
      if (collection?.ownerId !== found.owner.id) throw gone()
      await demandCredential(context, tx, caller)
      const { id: collectionId, ownerId } = collection
      await putOpening(tx, { collectionId, accountId: caller.accountId, ownerId, reason, until })
      const target = `${path.owner}/${path.slug}`
      const details = { reason, until: instantText(until) }
      tell({ action: 'collection.opened', account: ownerId, target, details })
    })
    return { until: instantText(until) }
  },
})
