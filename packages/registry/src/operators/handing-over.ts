/**
 * Transfers a departing user's personal collections to an organization or another user. Call it only through operators.ts, which checks
 * that the caller is an operator.
 */

import {
  type AccountRow,
  type CollectionRow,
  collectionSlugsInUse,
  collectionsOfAccount,
  isUniqueViolation,
  lockCollection,
  slugsKnownElsewhere,
  type Tx,
} from '@ulmus/storage'
import type { HandOver } from '@ulmus/wire'
import { demandCredential } from '../access/authority.ts'
import { collectionSlugCandidates } from '../access/slugs.ts'
import { demandUser } from '../accounts/organizations.ts'
import { audited } from '../audit/acts.ts'
import { lockBoth, moveCollection } from '../collections/transfer.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Caller } from '../principal.ts'
import { lockNamed, wrong } from './accounts.ts'
import { keepHidden } from './suspended-collections.ts'

/** `owner/slug` */
export interface HandedOver {
  readonly from: string
  readonly to: string
  /** Present if operators must show it before others see it. */
  readonly hidden?: true
}

/** Slugs tried per collection: another collection may take one at the same moment. */
const attemptsMax = 5

/**
 * Transfers each collection in a transaction of its own, so that a repeated call continues. Ignores quotas and collection limits.
 * If a slug is taken, the collection gets a number at its end.
 * @throws account_not_found, not_a_user, invalid_request, collection_not_found
 */
export async function handOver(
  context: Context,
  caller: Caller,
  slug: string,
  { to, collections }: HandOver,
): Promise<HandedOver[]> {
  const { giver, receiver } = await context.database.transact(async (tx) => {
    await demandCredential(context, tx, caller)
    return { giver: await demandUser(tx, slug), receiver: await lockNamed(tx, to) }
  })
  if (giver.id === receiver.id) throw wrong('to', 'must be another account than the one that gives')
  if (receiver.suspendedAt !== null) throw wrong('to', 'must be an account that is not suspended')
  const all = await collectionsOfAccount(context.database, giver.id)
  const wanted = collections ?? all.map((one) => one.slug)
  const missing = wanted.find((one) => !all.some(({ slug: has }) => has === one))
  if (missing !== undefined)
    throw new RegistryError('collection_not_found', { say: { owner: slug, slug: missing } })
  const done: HandedOver[] = []
  for (const { id, slug: one } of all) {
    if (!wanted.includes(one)) continue
    const moved = await giveOne(context, caller, { id, giver, receiver })
    if (moved !== undefined) done.push(moved)
  }
  return done
}

interface Giving {
  readonly id: string
  readonly giver: AccountRow
  readonly receiver: AccountRow
}

/** Transfers a collection; undefined if its owner deleted it or transferred it meanwhile. */
async function giveOne(context: Context, caller: Caller, giving: Giving): Promise<HandedOver | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await giveOnce(context, caller, giving)
    } catch (error) {
      if (!isUniqueViolation(error, 'collections_owner_slug') || attempt === attemptsMax) throw error
    }
  }
}

const giveOnce = (context: Context, caller: Caller, { id, giver, receiver }: Giving) =>
  audited(context, caller, async (tx, tell): Promise<HandedOver | undefined> => {
    const account = await lockBoth(tx, giver, receiver)
    await demandCredential(context, tx, caller)
    const collection: CollectionRow | undefined = await lockCollection(tx, id, 'update')
    if (collection?.ownerId !== giver.id) return undefined
    const slug = await freeSlug(context, tx, account, collection)
    await moveCollection(context, tx, { collection, from: giver, to: account, slug }, tell)
    const isHidden = collection.hiddenAt !== null
    // Hidden with the giver: a new owner must not publish it without a decision of operators.
    if (isHidden && collection.hiddenReason === null) await keepHidden(context, tx, id, 'transferred')
    const moved = { from: `${giver.slug}/${collection.slug}`, to: `${account.slug}/${slug}` }
    return isHidden ? { ...moved, hidden: true } : moved
  })

/** Slugs looked up in one query. */
const candidatesPerLook = 50

/** The collection's slug, or that with the first number that is free under its new owner. */
async function freeSlug(
  { now }: Context,
  tx: Tx,
  account: AccountRow,
  { id, slug }: CollectionRow,
): Promise<string> {
  for (let from = 1; ; from += candidatesPerLook) {
    const slugs = collectionSlugCandidates(slug, from, candidatesPerLook)
    const taken = await collectionSlugsInUse(tx, account.id, slugs)
    const known = await slugsKnownElsewhere(tx, account, { slugs, except: id }, now())
    const free = slugs.find((one) => !taken.includes(one) && !known.includes(one))
    if (free !== undefined) return free
  }
}
