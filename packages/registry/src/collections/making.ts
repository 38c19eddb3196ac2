/**
 * Shared steps of creating, forking and transferring a collection: the permission check with the account locked, the new row, the
 * refusal of a taken slug.
 */

import {
  type AccountRow,
  type CollectionRow,
  isUniqueViolation,
  lockAccount,
  notHidden,
  ownsFewerCollections,
  type Tx,
} from '@ulmus/storage'
import type { CreateCollection } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential } from '../access/authority.ts'
import { roleIn } from '../access/membership.ts'
import { mayCreateIn, type Role } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import type { Caller } from '../principal.ts'

/**
 * Repeats the permission check with the account locked. Roles and the number of its collections then stay until the transaction
 * ends.
 * @throws account_not_found, unauthenticated, not_a_member, too_many_collections.
 */
export async function demandMayCreate(
  context: Context,
  tx: Tx,
  who: Caller,
  { id, slug }: AccountRow,
): Promise<{ account: AccountRow; role: Role | null }> {
  const account = await lockAccount(tx, id)
  if (account === undefined) throw new RegistryError('account_not_found', { say: { slug } })
  await demandCredential(context, tx, who)
  const role = await roleIn(tx, who, account)
  demand(mayCreateIn(who, role), { owner: slug })
  const max = context.limits.collectionsMax
  if (!(await ownsFewerCollections(tx, id, max)))
    throw new RegistryError('too_many_collections', { say: { owner: slug, max } })
  return { account, role }
}

/** Refuses to make a collection public that operators hide. @throws hidden_by_operators */
export function demandShown(
  owner: AccountRow,
  collection: CollectionRow,
  change: { public?: boolean | undefined },
): void {
  if (change.public !== true || collection.hiddenAt === null) return
  const { slug, hiddenReason: reason } = collection
  throw new RegistryError('hidden_by_operators', { say: { owner: owner.slug, slug, reason } })
}

/** Row of a new collection without versions. */
export function newCollection(
  context: Context,
  ownerId: string,
  input: CreateCollection,
): Omit<CollectionRow, 'foldedName'> {
  const now = context.now()
  return {
    id: newId(),
    ownerId,
    slug: input.slug,
    name: input.name ?? input.slug,
    description: input.description ?? null,
    public: input.public ?? false,
    headId: null,
    headDescription: null,
    topics: [],
    forkedFromId: null,
    forkedFromSemver: null,
    ancestors: [],
    newestWithdrawn: null,
    publishersOnly: false,
    ...notHidden,
    storedBytes: 0,
    createdAt: now,
    updatedAt: now,
  }
}

/** @throws slug_taken if `work` fails because the owner has a collection with this slug. */
export async function slugTakenAs<T>(slug: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error, 'collections_owner_slug')) throw error
    throw new RegistryError('slug_taken', { say: { slug }, cause: error })
  }
}
