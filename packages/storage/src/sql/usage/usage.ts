/**
 * Storage usage of accounts, against which quotas are checked. A collection's row counts what its versions and files added; sums over an
 * account's collections are computed on request (usage.sql). Concurrent requests in several collections of one account do not see each
 * other: together they may exceed a quota by the size of their data.
 */
import type { Queries } from '../../database/database.ts'

/** Storage usage of an account, as its owner reads it. */
export interface AccountUsage {
  /** Stored by versions and files. Bytes. */
  readonly usedBytes: number
  /** Received by uncommitted push sessions, including their opening data. Bytes. */
  readonly receivedBytes: number
  /** Stored and received by organizations that count against the account's quota. Bytes. */
  readonly organizationBytes: number
  /** Quota for the total. Bytes; null: unlimited, or counted against another account's quota. */
  readonly quotaBytes: number | null
  /** Slug of the user whose quota an organization counts against; null: its own. */
  readonly countsAgainst: string | null
}

/** @param usualQuota of accounts without their own. Bytes; null: unlimited */
export async function accountUsage(
  at: Queries,
  accountId: string,
  usualQuota: number | null,
): Promise<AccountUsage> {
  const { rows } = await at.query<AccountUsage>(
    `select used as "usedBytes", received as "receivedBytes",
       case when other is null then charged_bytes($1) + charged_received_bytes($1) - used - received else 0 end as "organizationBytes",
       case when other is null then quota_bytes($1, $2) end as "quotaBytes", other as "countsAgainst"
     from (select used_bytes($1), received_bytes($1), (select slug from accounts where id = charged_account($1) and id <> $1))
       as account (used, received, other)`,
    [accountId, usualQuota],
    'account_usage',
  )
  return rows[0]!
}

/** Usage that counts against an account's quota, of all collections that share it. */
export interface QuotaUsage {
  readonly usedBytes: number
  readonly receivedBytes: number
  readonly quotaBytes: number
  /** Id of the account that has the quota. */
  readonly chargedId: string
}

/** Returns undefined, without computing sums, if there is no quota. */
export async function usageUnderQuota(
  at: Queries,
  accountId: string,
  usualQuota: number | null,
): Promise<QuotaUsage | undefined> {
  const { rows } = await at.query<QuotaUsage>(
    `select charged_bytes($1) as "usedBytes", charged_received_bytes($1) as "receivedBytes", quota as "quotaBytes", charged_account($1) as "chargedId"
     from (values (quota_bytes($1, $2))) as held (quota) where quota is not null`,
    [accountId, usualQuota],
    'usage_under_quota',
  )
  return rows[0]
}

/** Stored bytes of a collection. */
export interface CollectionUsage {
  readonly slug: string
  readonly usedBytes: number
}

/** Collections of an account with the most stored bytes, largest first. */
export async function largestCollections(
  at: Queries,
  accountId: string,
  max: number,
): Promise<CollectionUsage[]> {
  const { rows } = await at.query<CollectionUsage>(
    `select slug, stored + inherited as "usedBytes" from usage_of($1)
     where stored + inherited > 0 order by stored + inherited desc, slug limit $2`,
    [accountId, max],
  )
  return rows
}
