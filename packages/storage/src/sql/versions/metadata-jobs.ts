/**
 * Table of metadata updates, including synchronous ones, so that one that a crash interrupted is found and completed. A running row
 * occupies the collection's only update slot; `land_version` ends it together with the version.
 */
import { sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { type Authority, authorityAsJson } from '../access/authority.ts'
import type { Means } from '../audit/audit-events.ts'
import { collections } from '../collections/collections.ts'
import { instant } from '../columns/columns.ts'
import { isLeaseOver, leaseUntil } from '../columns/leases.ts'
import { columnsOf } from '../columns/rows.ts'

export const metadataJobs = pgTable(
  'metadata_jobs',
  {
    id: uuid('id').primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    status: text('status', { enum: ['running', 'completed', 'failed'] }).notNull(),
    /** The account that requested the update, in whose name it lands. Not a foreign key: landing refuses updates of a deleted account. */
    accountId: uuid('account_id').notNull(),
    means: jsonb('means').$type<Means>().notNull(),
    baseId: uuid('base_id').notNull(),
    baseSemver: text('base_semver').notNull(),
    /** The body as JSON text (jsonb would round numbers and refuse U+0000). Null once finished. */
    patch: text('patch'),
    /** The version made, or the current one if nothing changed. Its metadata is the result. */
    resultVersionId: uuid('result_version_id'),
    unchanged: boolean('unchanged').notNull().default(false),
    /** Error body of the synchronous call's answer. */
    error: jsonb('error').$type<Record<string, unknown>>(),
    startedAt: instant('started_at').notNull(),
    finishedAt: instant('finished_at'),
    /** While running: when another process may run it, too. By the database's clock. */
    leaseUntil: instant('lease_until'),
  },
  (t) => [
    uniqueIndex('metadata_jobs_slot').on(t.collectionId).where(sql`${t.status} = 'running'`),
    index('metadata_jobs_collection').on(t.collectionId),
    index('metadata_jobs_finished').on(t.finishedAt).where(sql`${t.finishedAt} is not null`),
    index('metadata_jobs_running').on(t.startedAt).where(sql`${t.status} = 'running'`),
    check('metadata_jobs_status', sql`${t.status} in ('running', 'completed', 'failed')`),
  ],
)

/** Longest lease. Seconds. */
const leaseSecondsMax = 8
/** True for an update that no process runs. */
export const isUpdateDue = `status = 'running' and ${isLeaseOver(leaseSecondsMax)}`

export type MetadataJobRow = typeof metadataJobs.$inferSelect

/**
 * Takes the collection's update slot if `baseId` is its head. Returns false if it is not, if the authority is no longer valid or the
 * collection has another owner, or if the collection is gone. Runs a single statement.
 * @param leaseSeconds 0: the update is left to any process. Otherwise the caller runs it at once, and the commit waits for no sync: the row
 *   need not survive a crash unless later writes do.
 * @throws a unique violation of `metadata_jobs_slot` if another update occupies the slot; a foreign key violation if the collection is
 *   deleted concurrently.
 */
export async function insertMetadataJob(
  tx: Tx,
  job: Pick<MetadataJobRow, 'id' | 'collectionId' | 'baseId' | 'baseSemver' | 'means' | 'startedAt'> & {
    patch: string
  },
  leaseSeconds: number,
  by: Authority,
): Promise<boolean> {
  const { rows } = await tx.query(
    // Locked, so that this waits for a version that is landing instead of missing it.
    `with waiting as materialized (
       select case when $7 = 0 then null else set_config('synchronous_commit', 'off', true) end),
       place as (
         select id, head_id from collections where id = $2 and head_id = $3 and owner_id = ($8::jsonb->>'ownerId')::uuid for share),
       authority as materialized (select from place where hold_authority($8::jsonb))
     insert into metadata_jobs (id, collection_id, status, base_id, base_semver, patch, started_at, account_id, means, lease_until)
     select $1, place.id, 'running', head_id, $4, $5, $6, ($8::jsonb->>'accountId')::uuid, $9, ${leaseUntil('$7::double precision')}
     from waiting, place, authority
     returning id`,
    [
      ...[job.id, job.collectionId, job.baseId, job.baseSemver, job.patch, job.startedAt],
      ...[leaseSeconds, authorityAsJson(by), JSON.stringify(job.means)],
    ],
    'take_metadata_slot',
  )
  return rows.length === 1
}

export async function findMetadataJob(at: Queries, id: string): Promise<MetadataJobRow | undefined> {
  const { rows } = await at.query<MetadataJobRow>(
    `select ${columnsOf(metadataJobs)} from metadata_jobs where id = $1`,
    [id],
  )
  return rows[0]
}

/** The update that occupies a collection's slot. */
export async function findRunningMetadataJob(
  at: Queries,
  collectionId: string,
): Promise<MetadataJobRow | undefined> {
  const { rows } = await at.query<MetadataJobRow>(
    `select ${columnsOf(metadataJobs)} from metadata_jobs where collection_id = $1 and status = 'running'`,
    [collectionId],
  )
  return rows[0]
}

/** Ends a running job and frees the slot. Returns false, without a change, if it has ended or was deleted with its collection. */
export async function finishMetadataJob(
  tx: Tx,
  id: string,
  end: { at: Date } & (
    | { status: 'completed'; resultVersionId: string; unchanged: boolean }
    | { status: 'failed'; error: Record<string, unknown> }
  ),
): Promise<boolean> {
  const made = end.status === 'completed' ? end : { resultVersionId: null, unchanged: false }
  const error = end.status === 'failed' ? JSON.stringify(end.error) : null
  const { rows } = await tx.query(
    `update metadata_jobs
     set status = $2, patch = null, result_version_id = $3, unchanged = $4, error = $5, finished_at = $6
     where id = $1 and status = 'running' returning id`,
    [id, end.status, made.resultVersionId, made.unchanged, error, end.at],
    'finish_metadata_job',
  )
  return rows.length === 1
}

/**
 * Takes updates that no process runs, the oldest first. @returns their ids
 * @param except updates running in the caller's process, although their leases have expired
 */
export async function claimMetadataJobs(
  tx: Tx,
  { most, seconds, except }: { most: number; seconds: number; except: readonly string[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `update metadata_jobs set lease_until = ${leaseUntil('$2')}
     where id in (
       select id from metadata_jobs where ${isUpdateDue} and id <> all($3::uuid[])
       order by started_at limit $1 for update skip locked)
     returning id`,
    [most, seconds, except],
  )
  return rows.map(({ id }) => id)
}
