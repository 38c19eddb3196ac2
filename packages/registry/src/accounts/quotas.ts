/**
 * Quotas: what an account may have stored, versions, files and what pushes under way have received together. http-api §11. Reads and deletions
 * go on where an account has more; nothing more comes in.
 */
import {
  type AccountUsage,
  accountUsage,
  type CollectionUsage,
  largestCollections,
  type Queries,
  usageUnderQuota,
} from '@ulmus/storage'
import { findVisibleAccount } from '../access/find-account.ts'
import { maySeeUsage } from '../access/policy.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'

/** What an account has stored, and where most of it is. */
export interface Usage extends AccountUsage {
  /** Largest first, `listedMax` at most. */
  readonly collections: CollectionUsage[]
}

interface Owner {
  readonly id: string
  readonly slug: string
}

type Limited = Pick<Context, 'limits'>

/** Collections that a usage tells of. */
const listedMax = 100

/** For members and the user itself. @throws account_not_found, Moved, unauthenticated, key_limited, not_a_member */
export async function usageOf(context: Context, who: Principal, slug: string): Promise<Usage> {
  const { account, role } = await findVisibleAccount(context, who, slug)
  demand(maySeeUsage(who, role), { owner: slug })
  const [usage, collections] = await Promise.all([
    accountUsage(context.database, account.id, context.limits.quotaBytes),
    largestCollections(context.database, account.id, listedMax),
  ])
  return { ...usage, collections }
}

/**
 * Whether so many bytes more fit.
 * @param options.received false: what pushes have received does not count. Default: true
 * @throws quota_exceeded
 */
export async function demandRoom(
  { limits }: Limited,
  at: Queries,
  owner: Owner,
  more: number,
  { received = true }: { received?: boolean } = {},
): Promise<void> {
  const usage = await usageUnderQuota(at, owner.id, limits.quotaBytes)
  if (usage === undefined) return
  const used = usage.usedBytes + (received ? usage.receivedBytes : 0)
  if (used + more > usage.quotaBytes) throw exceeded(owner, usage)
}

/** What of a body fits, as it comes. */
export interface Room {
  readonly bytes: number
  /** Of a body that has more. */
  readonly refusal: RegistryError
}

/** Null: there is no quota. */
export async function roomOf({ limits }: Limited, at: Queries, owner: Owner): Promise<Room | null> {
  const usage = await usageUnderQuota(at, owner.id, limits.quotaBytes)
  if (usage === undefined) return null
  const { usedBytes, receivedBytes, quotaBytes } = usage
  return { bytes: Math.max(0, quotaBytes - usedBytes - receivedBytes), refusal: exceeded(owner, usage) }
}

/** Why something did not land. */
export const quotaRefusal = async ({ limits }: Limited, at: Queries, owner: Owner): Promise<RegistryError> =>
  exceeded(owner, await accountUsage(at, owner.id, limits.quotaBytes))

const exceeded = ({ slug }: Owner, usage: AccountUsage): RegistryError =>
  new RegistryError('quota_exceeded', { say: { owner: slug }, details: { ...usage } })
