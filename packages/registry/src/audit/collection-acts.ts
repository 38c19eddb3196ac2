/** Acts on parts of a collection, such as its trusted publishers and its saved questions. */
import { lockCollection, type Tx } from '@ulmus/storage'
import { demandStill } from '../access/authority.ts'
import type { VisibleCollection } from '../access/find-collection.ts'
import type { Permission } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { audited, type Tell } from './acts.ts'

/**
 * Runs `work` with the collection locked, so that its parts are counted and changed one at a time.
 * @param to the permission that is checked again within the transaction
 * @throws unauthenticated; collection_not_found, also if the collection has another owner by now; the refusal of the permission
 */
export const auditedIn = <Result>(
  context: Context,
  who: Principal,
  { collection, owner }: VisibleCollection,
  to: Permission,
  work: (tx: Tx, tell: Tell) => Promise<Result>,
): Promise<Result> =>
  audited(context, who, async (tx, tell) => {
    await lockCollection(tx, collection.id, 'update')
    await demandStill(context, tx, { who: demandCaller(who), collection, owner }, to)
    return work(tx, tell)
  })
