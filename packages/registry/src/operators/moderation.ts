/**
 * Operators hide collections from all but their members, and show them again. A hidden collection is private, so every reader follows; only
 * its look-up says that it was hidden.
 */
import {
  type CollectionRow,
  findCollectionByPath,
  type HiddenCollection,
  hideCollection,
  keepFormerSlug,
  listHiddenCollections,
  lockCollection,
  showCollection,
  type Tx,
} from '@ulmus/storage'
import type { CollectionPath } from '@ulmus/wire'
import { demandCredential } from '../access/authority.ts'
import { demandOperator } from '../access/operators.ts'
import { isAccountSlug, isCollectionSlug } from '../access/slugs.ts'
import { audited, type Tell } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'

/** Hidden collections that are listed. */
const listedMax = 200

export const moderationOf = (context: Context) => ({
  /** The last hidden first, at most 200, without those of suspended owners. */
  async hidden(who: Principal): Promise<HiddenCollection[]> {
    await demandOperator(context, who)
    return listHiddenCollections(context.database, listedMax)
  },

  /**
   * Hides a public collection, or changes why it is hidden.
   * @throws collection_not_found, also for a private collection
   */
  hide: (who: Principal, path: CollectionPath, reason: string): Promise<void> =>
    act(context, who, path, async (tx, tell, collection) => {
      const at = context.now()
      if (collection.public) await keepFormerSlug(tx, collection, at)
      await hideCollection(tx, { id: collection.id, at, reason })
      tell({ ...about(path, collection), details: { hidden: true, reason } })
    }),

  /** Shows a hidden collection again; a public one stays as it is. @throws collection_not_found */
  show: (who: Principal, path: CollectionPath): Promise<void> =>
    act(context, who, path, async (tx, tell, collection) => {
      if (collection.hiddenAt === null) return
      await showCollection(tx, { id: collection.id, at: context.now() })
      tell({ ...about(path, collection), details: { hidden: false } })
    }),
})

const about = ({ owner, slug }: CollectionPath, { ownerId }: CollectionRow) =>
  ({ action: 'collection.hidden', account: ownerId, target: `${owner}/${slug}` }) as const

/** Acts on a collection that is public or hidden: operators do not learn which private ones exist. */
async function act(
  context: Context,
  who: Principal,
  path: CollectionPath,
  change: (tx: Tx, tell: Tell, collection: CollectionRow) => Promise<void>,
): Promise<void> {
  const caller = await demandOperator(context, who)
  const gone = () => new RegistryError('collection_not_found', { say: { ...path, public: 'only' } })
  if (!isAccountSlug(path.owner) || !isCollectionSlug(path.slug)) throw gone()
  const found = await findCollectionByPath(context.database, path, null)
  if (found === undefined) throw gone()
  await audited(context, caller, async (tx, tell) => {
    await demandCredential(context, tx, caller)
    const collection = await lockCollection(tx, found.collection.id, 'update')
    const isSame = collection?.ownerId === found.owner.id && collection.slug === path.slug
    if (!isSame || !(collection.public || collection.hiddenAt !== null)) throw gone()
    await change(tx, tell, collection)
  })
}
