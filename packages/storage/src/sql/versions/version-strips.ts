/**
 * Table of the strip of versions: for each readable version, the share of values of each column that changed against the version before.
 * `land_version` adds a row with each version, as work that waits; a row has field names and shares, never values.
 */
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'
import { isLeaseOver, leaseUntil } from '../columns/leases.ts'
import { versions } from './versions.ts'

export const versionStrips = pgTable(
  'version_strips',
  {
    versionId: uuid('version_id')
      .primaryKey()
      .references(() => versions.id, { onDelete: 'cascade' }),
    /** The version that it is compared with, the newest readable one before; null for a first version. */
    beforeId: uuid('before_id'),
    /** Shares of the public view, as JSON (docs/formats.md). Empty: nothing changed. Null: not computed yet. */
    publicShares: text('public_shares'),
    /**
     * The same of the full view, stored after those of the public view, whose readers must not wait for private data. Empty: equal to those
     * of the public view. Null: the row is waiting work.
     */
    fullShares: text('full_shares'),
    /** Times that a process has taken the row. */
    attempts: integer('attempts').notNull().default(0),
    /** When a process may take it. By the database's clock. */
    leaseUntil: instant('lease_until'),
  },
  (t) => [index('version_strips_due').on(t.versionId).where(sql`${t.fullShares} is null`)],
)

/** Longest lease. Seconds. */
const leaseSecondsMax = 600
/** True for rows to compute that no process works on. */
export const isStripDue = `full_shares is null and ${isLeaseOver(leaseSecondsMax)}`

/** A version to compute, with the objects that name its trees and those of the version before. */
export interface DueStrip {
  versionId: string
  beforeId: string | null
  attempts: number
  sidecar: string
  beforeSidecar: string | null
}

/** Takes rows to compute, those of the newest versions first: ids of versions begin with their time. */
export async function claimStrips(
  tx: Tx,
  { most, seconds }: { most: number; seconds: number },
): Promise<DueStrip[]> {
  const { rows } = await tx.query<DueStrip>(
    `update version_strips set lease_until = ${leaseUntil('$2')}, attempts = attempts + 1
     where version_id in (
       select version_id from version_strips where ${isStripDue}
       order by version_id desc limit $1 for update skip locked)
     returning version_id as "versionId", before_id as "beforeId", attempts,
       (select sidecar from versions where id = version_id) as sidecar,
       (select sidecar from versions where id = before_id) as "beforeSidecar"`,
    [most, seconds],
    'claim_strips',
  )
  return rows
}

type StripPair = Pick<DueStrip, 'versionId' | 'beforeId'>

/** The row still waits for this comparison: after a withdrawal it is gone, or waits for another one. */
const isAwaited = 'version_id = $1 and before_id is not distinct from $2::uuid and full_shares is null'

/** Keeps a row from other processes. Returns false if nothing awaits the comparison any more. */
export async function renewStrip(
  tx: Tx,
  { versionId, beforeId }: StripPair,
  seconds: number,
): Promise<boolean> {
  const { rows } = await tx.query(
    `update version_strips set lease_until = ${leaseUntil('$3')} where ${isAwaited} returning version_id`,
    [versionId, beforeId, seconds],
    'renew_strip',
  )
  return rows.length === 1
}

/**
 * Stores the shares, unless nothing awaits the comparison any more.
 * @param shares.full empty: equal to those of the public view. Null: they follow
 */
export async function keepStrip(
  tx: Tx,
  { versionId, beforeId }: StripPair,
  shares: { public: string; full: string | null },
): Promise<void> {
  await tx.query(
    `update version_strips set public_shares = $3, full_shares = $4 where ${isAwaited}`,
    [versionId, beforeId, shares.public, shares.full],
    'keep_strip',
  )
}

/**
 * Corrects the rows of collections after withdrawals, and adds missing ones: deletes those of withdrawn versions, and computes again
 * those that were compared with one. The collections must be locked, so that no version lands or is withdrawn meanwhile.
 */
export async function correctStrips(tx: Tx, collectionIds: readonly string[]): Promise<void> {
  await tx.query(
    `delete from version_strips using versions
     where versions.id = version_id and collection_id = any($1::uuid[]) and withdrawn_at is not null`,
    [collectionIds],
  )
  await tx.query(
    `insert into version_strips (version_id, before_id, public_shares, full_shares)
     select id, before_id, same, same
     from (
       select id, lag(id) over places as before_id,
         case when sidecar = lag(sidecar) over places then '' end as same
       from versions where collection_id = any($1::uuid[]) and withdrawn_at is null
       window places as (partition by collection_id order by major, minor, patch)) readable
     where not exists (
       select from version_strips there
       where there.version_id = readable.id and there.before_id is not distinct from readable.before_id)
     on conflict (version_id) do update
       set before_id = excluded.before_id, public_shares = excluded.public_shares,
         full_shares = excluded.full_shares, attempts = 0, lease_until = null`,
    [collectionIds],
  )
}

/** Adds missing rows, such as those of versions older than the table, for some collections with the newest such versions. */
export async function addMissingStrips(tx: Tx, collectionsMax: number): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `select distinct collection_id as id from (
       select collection_id from versions
       where withdrawn_at is null and not exists (select from version_strips where version_id = versions.id)
       order by versions.id desc limit $1) missing
     order by id`,
    [collectionsMax],
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await tx.query('select from collections where id = any($1::uuid[]) order by id for no key update', [ids])
  await correctStrips(tx, ids)
  return ids.length
}

/** A version of a strip, in a view. */
export interface StripRow {
  major: number
  minor: number
  patch: number
  records: number
  /** Null: not computed yet. Empty: nothing changed. */
  shares: string | null
  /** Number of all such versions. */
  total: number
}

/** Readable versions of a collection up to a number, newest first. @param until default: all */
export async function listStrip(
  at: Queries,
  collectionId: string,
  {
    view,
    until,
    limit,
  }: {
    view: 'full' | 'public'
    until?: { major: number; minor: number; patch: number } | undefined
    limit: number
  },
): Promise<StripRow[]> {
  const shares =
    view === 'full' ? `case full_shares when '' then public_shares else full_shares end` : 'public_shares'
  const { major, minor, patch } = until ?? { major: null, minor: null, patch: null }
  const { rows } = await at.query<StripRow>(
    `select major, minor, patch, ${view}_records as records, ${shares} as shares,
       count(*) over () as total
     from versions left join version_strips on version_id = id
     where collection_id = $1 and withdrawn_at is null
       and ($3::int is null or (major, minor, patch) <= ($3::int, $4::int, $5::int))
     order by major desc, minor desc, patch desc limit $2`,
    [collectionId, limit, major, minor, patch],
    `list_strip_${view}`,
  )
  return rows
}
