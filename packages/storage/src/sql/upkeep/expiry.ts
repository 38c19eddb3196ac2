/**
 * Drops expired rows of several tables in slices, so that no transaction is long, and vacuums, because an embedded database has no
 * autovacuum. packages/registry/src/upkeep/expiry.ts has the periods.
 */
import type { Database, Tx } from '../../database/database.ts'

/** Drops up to `max` metadata updates that ended before an instant. Returns their number. */
export async function dropEndedMetadataJobs(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from metadata_jobs where id in (select id from metadata_jobs where finished_at < $1 limit $2) returning 1`,
    [before, max],
  )
  return rows.length
}

/**
 * Drops up to `max` push sessions that have ended, were last used before an instant (by their planned expiry), and have no spills
 * left. Returns their number.
 */
export async function dropEndedPushes(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from pushes where id in (
       select id from pushes p where status in ('committed', 'failed', 'cancelled', 'expired') and expires_at < $1
         and not exists (select from push_spills where push_id = p.id) limit $2)
     returning 1`,
    [before, max],
  )
  return rows.length
}

/** Drops up to `max` browser sessions that expired before an instant. Returns their number. */
export async function dropEndedSessions(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from browser_sessions where token_hash in (select token_hash from browser_sessions where expires_at < $1 limit $2) returning 1`,
    [before, max],
  )
  return rows.length
}

/** Drops up to `max` rows of the audit log that are older than an instant. Returns their number. */
export async function dropOldAuditEvents(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    'delete from audit_events where id in (select id from audit_events where at < $1 order by at limit $2) returning 1',
    [before, max],
  )
  return rows.length
}

/**
 * Vacuums and analyses the tables one after the other, so that requests can run in between. A server has autovacuum;
 * embedded PostgreSQL has none, and keeps no statistics about which tables need it.
 */
export async function vacuumTables(database: Database): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  )
  for (const { name } of rows) await database.query(`vacuum (analyze) ${name}`)
}
