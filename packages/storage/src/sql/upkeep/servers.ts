/**
 * Table of servers: each process writes a heartbeat of its own, so that a newer release finds those that it would migrate under. Times are of
 * the database's clock.
 */
import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'

/** Processes of the last day. database/other-servers.ts reads it, too. */
export const servers = pgTable('servers', {
  /** Names the process, not the machine. */
  id: uuid('id').primaryKey(),
  host: text('host').notNull(),
  release: text('release').notNull(),
  /** Last heartbeat. */
  seenAt: instant('seen_at').notNull(),
  /** Last heartbeat at which it did background work. Null: it never has. */
  workedAt: instant('worked_at'),
  /** True if it ended in order. */
  ended: boolean('ended').notNull().default(false),
})

/** A process with the database open. */
export interface ServerProcess {
  readonly id: string
  readonly host: string
  readonly release: string
}

/** Writes a heartbeat. @param works it does background work */
export async function noteServer(
  tx: Tx,
  { id, host, release }: ServerProcess,
  works: boolean,
): Promise<void> {
  await tx.query(
    `insert into servers (id, host, release, seen_at, worked_at)
       values ($1, $2, $3, now(), case when $4::boolean then now() end)
     on conflict (id) do update set seen_at = now(), worked_at = coalesce(excluded.worked_at, servers.worked_at)`,
    [id, host, release, works],
  )
}

/** Records that a process ends in order. */
export async function noteServerEnd(tx: Tx, id: string): Promise<void> {
  await tx.query('update servers set ended = true, seen_at = now() where id = $1', [id])
}

/** Seconds since the last background work of any process; undefined if there was none. */
export async function secondsSinceWork(at: Queries): Promise<number | undefined> {
  const { rows } = await at.query<{ secondsAgo: number | null }>(
    `select extract(epoch from now() - max(worked_at))::double precision as "secondsAgo" from servers`,
  )
  return rows[0]?.secondsAgo ?? undefined
}

/** Drops processes that were last seen before an instant. */
export async function dropSilentServers(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from servers where seen_at < $1', [before])
}
