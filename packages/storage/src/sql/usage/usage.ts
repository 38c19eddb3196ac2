/**
 * Storage usage of accounts, against which quotas are checked. A collection's row counts what its versions and files added; sums over an
 * account's collections are computed on request (usage.sql). Concurrent requests in several collections of one account do not see each
 * other: together they may exceed a quota by the size of their data.
 */
import type { Queries } from '../../database/database.ts'

export interface AccountUsage {
  /** Of versions and files. Bytes. */
  readonly usedBytes: number
  /** By push sessions that have not been committed, with what they were opened with. Bytes. */
  readonly receivedBytes: number
  /** The same of organizations that count against the account's quota. Bytes. */
  readonly organizationBytes: number
  /** Quota for the total. Bytes; null: unlimited, or counted against the quota of another account. */
  readonly quotaBytes: number | null
  /** Slug of the user whose quota counts for an organization; null: its own. */
  readonly countsAgainst: string | null
}

/** @param usualQuota of accounts that have none of their own. Bytes; null: none */
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

/** Usage that counts for an account's quota, of all collections that share it. */
export interface QuotaUsage {
  readonly usedBytes: number
  readonly receivedBytes: number
  readonly quotaBytes: number
  /** Id of the account whose quota it is. */
  readonly chargedId: string
}

/** Undefined: there is no quota. Sums are not made then. */
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

export interface CollectionUsage {
  readonly slug: string
  readonly usedBytes: number
}

/** The collections of an account that have most stored, largest first. */
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
