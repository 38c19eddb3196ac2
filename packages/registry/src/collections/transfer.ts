/**
 * Transfers of collections to other owners, by their admins or by an operator. http-api §11. Only the owner and the path change:
 * versions are neither read nor written.
 */

import {
  type AccountRow,
  type CollectionRow,
  countCollaborators,
  deleteCollaborator,
  deletePublishersOf,
  dropAllInvitationsTo,
  giveCollection,
  keepFormerSlug,
  lockAccount,
  lockCollection,
  noteGiven,
  ownsFewerCollections,
  type Tx,
} from '@ulmus/storage'
import type { CollectionPath } from '@ulmus/wire'
import { demandStill } from '../access/authority.ts'
import { findNamedAccount } from '../access/find-account.ts'
import { findCollectionTo } from '../access/find-collection.ts'
import { roleIn } from '../access/membership.ts'
import { mayReceiveCollection } from '../access/policy.ts'
import { demandCollectionSlug } from '../accounts/kept-slugs.ts'
import { demandRoom } from '../accounts/quotas.ts'
import { audited, type Tell } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { slugTakenAs } from './making.ts'

/**
 * Transfers a collection to an account that the caller also manages. Its id, versions, limited keys and forks stay; its former
 * address redirects, and trusted publishers are removed.
 * @param to slug of an account
 * @throws collection_not_found, MovedError, insufficient_scope, key_limited, not_a_member, insufficient_role, account_not_found,
 * slug_taken, slug_kept, too_many_collections, quota_exceeded
 */
export async function transferCollection(
  context: Context,
  who: Principal,
  path: CollectionPath,
  to: string,
): Promise<{ owner: string; slug: string }> {
  const { collection, owner } = await findCollectionTo('transfer', context, who, path)
  const target = await findNamedAccount(context, who, to)
  demand(mayReceiveCollection(who, target.role), { owner: target.account.slug, needed: 'admin' })
  const { id, slug } = collection
  const receiver = await slugTakenAs(slug, () =>
    audited(context, who, async (tx, tell) => {
      const account = await lockBoth(tx, owner, target.account)
      const locked = await lockCollection(tx, id, 'update')
      if (locked === undefined) throw new RegistryError('collection_not_found', { say: path })
      await demandStill(context, tx, { who: demandCaller(who), collection, owner }, 'transfer')
      demand(mayReceiveCollection(who, await roleIn(tx, who, account)), {
        owner: account.slug,
        needed: 'admin',
      })
      if (account.id === owner.id) return account
      const max = context.limits.collectionsMax
      if (!(await ownsFewerCollections(tx, account.id, max)))
        throw new RegistryError('too_many_collections', { say: { owner: account.slug, max } })
      await moveCollection(
        context,
        tx,
        { collection: locked, from: owner, to: account, slug: locked.slug },
        tell,
      )
      await demandRoom(context, tx, { who: demandCaller(who), owner: account })
      return account
    }),
  )
  return { owner: receiver.slug, slug }
}

/** A permitted transfer. Both accounts are locked (`lockBoth`). */
export interface Move {
  /** Locked row. */
  readonly collection: CollectionRow
  readonly from: Pick<AccountRow, 'id' | 'slug'>
  readonly to: AccountRow
  /** Slug of the collection under its new owner. */
  readonly slug: string
}

/** Moves a collection and redirects its former address. @throws slug_kept; a unique violation if the new owner has the slug */
export async function moveCollection(
  context: Context,
  tx: Tx,
  { collection, from, to, slug }: Move,
  tell: Tell,
): Promise<void> {
  const at = context.now()
  const { id, name } = collection
  await keepFormerSlug(tx, collection, at)
  await giveCollection(tx, { id, name, slug, updatedAt: at }, to)
  await noteGiven(tx, id, to.id)
  // Collaborators stay; the new owner did not invite the others, and needs no grant.
  await dropAllInvitationsTo(tx, id)
  await deleteCollaborator(tx, id, to.id)
  const collaborators = await countCollaborators(tx, id)
  // The new owner must not receive versions from jobs of the former one.
  const removed = await deletePublishersOf(tx, id)
  for (const { id: target, label } of removed)
    tell({
      action: 'publisher.removed',
      account: from.id,
      target,
      details: { label, collection: `${from.slug}/${collection.slug}` },
    })
  await demandCollectionSlug(context, tx, to, slug)
  const about = {
    target: `${to.slug}/${slug}`,
    details: { formerly: `${from.slug}/${collection.slug}`, ...(collaborators > 0 && { collaborators }) },
  }
  for (const account of [from.id, to.id]) tell({ action: 'collection.transferred', account, ...about })
}

/** Locks both accounts in the order of their ids, so that two transfers cannot deadlock. Returns the receiver. */
export async function lockBoth(tx: Tx, owner: AccountRow, target: AccountRow): Promise<AccountRow> {
  let receiver: AccountRow | undefined
  for (const id of new Set([owner.id, target.id].sort())) {
    const account = await lockAccount(tx, id)
    if (id === target.id) receiver = account
  }
  if (receiver === undefined) throw new RegistryError('account_not_found', { say: { slug: target.slug } })
  return receiver
}
