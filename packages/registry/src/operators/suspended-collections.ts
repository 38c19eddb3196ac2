/** Collections of a suspended account, which are hidden as long as it is. */
import { hiddenWithOwner, hideCollection, keepFormerSlug, showCollection, type Tx } from '@ulmus/storage'
import type { Context } from '../context.ts'

/** Gives a collection that is hidden with its owner a reason of its own, so that it stays hidden without that owner. */
export const keepHidden = (
  context: Context,
  tx: Tx,
  id: string,
  then: 'erased' | 'transferred',
): Promise<void> => hideCollection(tx, { id, at: context.now(), reason: reasons[then] })

const reasons = {
  erased: 'Its owner was suspended, and then erased.',
  transferred: 'Its former owner was suspended.',
}

export async function keepAllHidden(context: Context, tx: Tx, ownerId: string): Promise<void> {
  for (const { id } of await hiddenWithOwner(tx, ownerId, { isSuspended: false }))
    await keepHidden(context, tx, id, 'erased')
}

/**
 * Hides the public collections of an account that is suspended, or shows again those that were hidden with it.
 * @returns their number
 */
export async function hideWithOwner(
  context: Context,
  tx: Tx,
  ownerId: string,
  { isSuspended }: { isSuspended: boolean },
): Promise<number> {
  const at = context.now()
  const collections = await hiddenWithOwner(tx, ownerId, { isSuspended })
  for (const collection of collections) {
    if (isSuspended) {
      await keepFormerSlug(tx, collection, at)
      await hideCollection(tx, { id: collection.id, at, reason: null })
    } else await showCollection(tx, { id: collection.id, at })
  }
  return collections.length
}
