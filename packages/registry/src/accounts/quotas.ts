/**
 * Storage quotas of accounts: the total of versions, files and data received by unfinished pushes. http-api §11. An account over
 * its quota can still read and delete, but store nothing more.
 */
import {
  type AccountUsage,
  accountUsage,
  type CollectionUsage,
  findMemberRole,
  largestCollections,
  type Queries,
  type QuotaUsage,
  usageUnderQuota,
} from '@ulmus/storage'
import { findVisibleAccount } from '../access/find-account.ts'
import { maySeeUsage } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'

/** Storage usage of an account, with its largest collections. */
export interface Usage extends AccountUsage {
  /** Largest first, at most `listedMax`. */
  readonly collections: CollectionUsage[]
}

/** A caller who stores data in a collection, and the collection's owner. */
export interface Storing {
  readonly who: Principal
  readonly owner: { readonly id: string; readonly slug: string }
}

type Limited = Pick<Context, 'limits'>

/** Maximum collections listed in a usage. */
const listedMax = 100

/** For members and the user itself. @throws account_not_found, MovedError, unauthenticated, key_limited, not_a_member */
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
 * Requires that the account is within its quota, counting `more` additional bytes.
 * @param options.more Default: 0
 * @param options.received false: exclude data received by pushes. Default: true
 * @throws quota_exceeded
 */
export async function demandRoom(
  { limits }: Limited,
  at: Queries,
  by: Storing,
  { more = 0, received = true }: { more?: number; received?: boolean } = {},
): Promise<void> {
  const usage = await usageUnderQuota(at, by.owner.id, limits.quotaBytes)
  if (usage === undefined) return
  const used = usage.usedBytes + (received ? usage.receivedBytes : 0)
  if (used + more > usage.quotaBytes) throw exceeded(by, usage, await isMember(at, by))
}

/** The error for a write that the quota refused. */
export const quotaRefusal = async (
  { database, limits }: Pick<Context, 'database' | 'limits'>,
  by: Storing,
): Promise<RegistryError> =>
  exceeded(by, await usageUnderQuota(database, by.owner.id, limits.quotaBytes), await isMember(database, by))

/**
 * Includes usage figures only for members, and not for keys limited to a collection; for a shared quota only for the user charged with
 * it.
 */
function exceeded(
  { who, owner }: Storing,
  usage: QuotaUsage | undefined,
  knowsOwner: boolean,
): RegistryError {
  const isShared = usage !== undefined && usage.chargedId !== owner.id
  const isLimited = who.kind === 'key' && who.limitedTo !== null
  const say = { owner: owner.slug, isShared }
  const mayKnow = who.kind !== 'anonymous' && (isShared ? who.accountId === usage.chargedId : knowsOwner)
  if (usage === undefined || isLimited || !mayKnow) return new RegistryError('quota_exceeded', { say })
  const { usedBytes, receivedBytes, quotaBytes } = usage
  return new RegistryError('quota_exceeded', { say, details: { usedBytes, receivedBytes, quotaBytes } })
}

/** True for a user's own account, too. A collaborator is no member. */
const isMember = async (at: Queries, { who, owner }: Storing): Promise<boolean> =>
  who.kind !== 'anonymous' &&
  (who.accountId === owner.id || (await findMemberRole(at, owner.id, who.accountId)) !== null)

/** Quota left for one upload. */
export interface Room {
  /** Counts received bytes. @throws quota_exceeded once they do not fit beside concurrent uploads */
  take(bytes: number): void
  /** Ends the upload. `isRecorded`: it counts in the database from now on; false: it was abandoned. */
  end(isRecorded: boolean): void
}

interface Taking {
  readonly refusal: RegistryError
  /** Bytes left at the start of the upload, less those that other uploads have recorded since. */
  left: number
  taken: number
}

/** Running uploads of this process, by the charged account. Each upload reads the quota once, at its start. */
export class UploadRooms {
  readonly #context: Pick<Context, 'database' | 'limits'>
  readonly #takings = new Map<string, Set<Taking>>()

  constructor(context: Pick<Context, 'database' | 'limits'>) {
    this.#context = context
  }

  /** Reserves room for an upload; null if there is no quota. */
  async open(by: Storing): Promise<Room | null> {
    const { database, limits } = this.#context
    // Read before: nothing may end between the figures and the room that counts from them.
    const knowsOwner = await isMember(database, by)
    const usage = await usageUnderQuota(database, by.owner.id, limits.quotaBytes)
    if (usage === undefined) return null
    const id = usage.chargedId
    const left = Math.max(0, usage.quotaBytes - usage.usedBytes - usage.receivedBytes)
    const mine: Taking = { refusal: exceeded(by, usage, knowsOwner), left, taken: 0 }
    const all = this.#takings.get(id) ?? new Set()
    this.#takings.set(id, all.add(mine))
    return {
      take: (bytes) => {
        mine.taken += bytes
        let taken = 0
        for (const one of all) taken += one.taken
        if (taken > mine.left) throw mine.refusal
      },
      end: (isRecorded) => {
        all.delete(mine)
        if (isRecorded) for (const one of all) one.left -= mine.taken
        if (all.size === 0 && this.#takings.get(id) === all) this.#takings.delete(id)
      },
    }
  }
}
