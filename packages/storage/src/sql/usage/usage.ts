/**
 * What accounts have stored, by which their quotas are measured. A collection's row counts what its versions and files added; sums over an
 * account's collections are made when they are asked for (usage.sql). Requests that record at the same moment in several collections of
 * one account do not see each other: together they may pass a quota by what they bring.
 */
import type { Queries } from '../../database/database.ts'

export interface AccountUsage {
  /** Of versions and files. Bytes. */
  readonly usedBytes: number
  /** By push sessions that have not been committed, with what they were opened with. Bytes. */
  readonly receivedBytes: number
  /** What the account may have stored. Bytes; null: as much as it likes. */
  readonly quotaBytes: number | null
}

/** @param usualQuota of accounts that have none of their own. Bytes; null: none */
export async function accountUsage(
  at: Queries,
  accountId: string,
  usualQuota: number | null,
): Promise<AccountUsage> {
  const { rows } = await at.query(
    `select used_bytes($1)::double precision as "usedBytes", received_bytes($1)::double precision as "receivedBytes",
       quota_bytes($1, $2)::double precision as "quotaBytes"`,
    [accountId, usualQuota],
    'account_usage',
  )
  return rows[0] as unknown as AccountUsage
}

/** The same of an account that has a quota; undefined: it has none. Sums are not made then. */
export async function usageUnderQuota(
  at: Queries,
  accountId: string,
  usualQuota: number | null,
): Promise<(AccountUsage & { quotaBytes: number }) | undefined> {
  const { rows } = await at.query(
    `select used_bytes($1)::double precision as "usedBytes", received_bytes($1)::double precision as "receivedBytes",
       quota::double precision as "quotaBytes"
     from (values (quota_bytes($1, $2))) as held (quota) where quota is not null`,
    [accountId, usualQuota],
    'usage_under_quota',
  )
  return rows[0] as (AccountUsage & { quotaBytes: number }) | undefined
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
  const { rows } = await at.query(
    `select slug, (stored + inherited)::double precision as "usedBytes" from usage_of($1)
     where stored + inherited > 0 order by stored + inherited desc, slug limit $2`,
    [accountId, max],
  )
  return rows as unknown as CollectionUsage[]
}
