/**
 * What accounts have stored, by which their quotas are measured. A collection's row counts what its versions and files added; sums over an
 * account's collections are made when they are asked for (usage.sql). Requests that record at the same moment in several collections of
 * one account do not see each other: together they may pass a quota by what they bring.
 */
import { eq, sql } from 'drizzle-orm'
import type { Queries, Tx } from '../../database/database.ts'
import { collections } from '../collections/collections.ts'
import type { ObjectName } from '../objects/objects.ts'
import type { VersionRoots } from '../objects/sweeps.ts'

export interface AccountUsage {
  /** Of versions and files. Bytes. */
  readonly usedBytes: number
  /** By push sessions that have not been committed. Bytes. */
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

/** Counts what a collection has more stored than before; less, where it is negative. */
export async function countStored(tx: Tx, collectionId: string, bytes: number): Promise<void> {
  await tx.orm
    .update(collections)
    .set({ storedBytes: sql`greatest(0, ${collections.storedBytes} + ${bytes})` })
    .where(eq(collections.id, collectionId))
}

/** What a collection has: its versions, but for those that are erased. */
export interface CollectionHoldings {
  /** As it is counted. Bytes. */
  readonly storedBytes: number
  readonly fileBytes: number
  readonly isFork: boolean
  /** `isFirst`: v1.0.0, with which a fork comes. */
  readonly versions: readonly (VersionRoots & { readonly isFirst: boolean })[]
}

/** All of one moment. Undefined: it is gone. */
export async function collectionHoldings(at: Queries, id: string): Promise<CollectionHoldings | undefined> {
  const { rows } = await at.query(
    `select c.stored_bytes::double precision as "storedBytes", c.forked_from_id is not null as "isFork",
       (select coalesce(sum(f.size), 0)::double precision from collection_files cf join files f on f.hash = cf.hash
         where cf.collection_id = c.id) as "fileBytes",
       (select coalesce(json_agg(json_build_object('id', v.id, 'fullDigest', v.full_digest, 'publicDigest', v.public_digest,
           'sidecar', v.sidecar, 'isFirst', (v.major, v.minor, v.patch) = (1, 0, 0))), '[]')
         from versions v where v.collection_id = c.id and v.erasure is distinct from 'done') as versions
     from collections c where c.id = $1`,
    [id],
  )
  return rows[0] as CollectionHoldings | undefined
}

/** What objects take in their packs. Those that the index does not have take nothing. Bytes. */
export async function encodedBytes(at: Queries, names: readonly ObjectName[]): Promise<number> {
  const { rows } = await at.query(
    `select coalesce(sum(o.length), 0)::double precision as bytes
     from unnest($1::text[], $2::text[]) as named (hash, kind) join objects o on o.hash = named.hash and o.kind = named.kind`,
    [names.map(({ hash }) => hash), names.map(({ kind }) => kind)],
  )
  return Number(rows[0]!['bytes'])
}
