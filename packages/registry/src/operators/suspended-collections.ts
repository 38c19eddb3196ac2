/** Collections of a suspended account, which are hidden as long as it is. */
import { hiddenWithOwner, hideCollection, keepFormerSlug, showCollection, type Tx } from '@ulmus/storage'
import type { Context } from '../context.ts'

/** Gives collections that are hidden with their owner a reason of their own, so that they stay hidden after its erasure. */
export async function keepHidden(context: Context, tx: Tx, ownerId: string): Promise<void> {
  const reason = 'Its owner was suspended, and then erased.'
  for (const { id } of await hiddenWithOwner(tx, ownerId, { isSuspended: false }))
    await hideCollection(tx, { id, at: context.now(), reason })
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
