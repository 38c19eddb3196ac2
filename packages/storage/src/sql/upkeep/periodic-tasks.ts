/** Work that is done once in a while by whichever process comes first, and when that was. */
import { boolean, pgTable, text } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'

/** Work that is to be done once in a while, by whichever process comes first. */
export const periodicTasks = pgTable('periodic_tasks', {
  name: text('name').primaryKey(),
  /** When it was last begun. */
  begunAt: instant('begun_at').notNull(),
  /** When it last ended. Null: it never has. */
  endedAt: instant('ended_at'),
  /** Whether it then came to its end, and was not broken off. */
  succeeded: boolean('succeeded'),
})

/**
 * True for one caller when the periodic task was last begun so many seconds ago, by the database's clock. A task that is not there yet is added as
 * begun now.
 */
export async function claimPeriodicTask(tx: Tx, name: string, everySeconds: number): Promise<boolean> {
  const { rows } = await tx.query<{ again: boolean }>(
    `insert into periodic_tasks (name, begun_at) values ($1, now())
     on conflict (name) do update set begun_at = now()
       where periodic_tasks.begun_at <= now() - make_interval(secs => $2::double precision)
     returning (xmax <> 0) as again`,
    [name, everySeconds],
  )
  return rows[0]?.again === true
}

/** Records that a periodic task ended now, by the database's clock. */
export async function endPeriodicTask(tx: Tx, name: string, succeeded: boolean): Promise<void> {
  await tx.query(
    `insert into periodic_tasks (name, begun_at, ended_at, succeeded) values ($1, now(), now(), $2)
     on conflict (name) do update set ended_at = now(), succeeded = $2`,
    [name, succeeded],
  )
}

/** How long ago a periodic task ended, by the database's clock, and whether it succeeded. Undefined: it never has. Seconds. */
export async function lastEndOf(
  at: Queries,
  name: string,
): Promise<{ secondsAgo: number; succeeded: boolean } | undefined> {
  const { rows } = await at.query<{ secondsAgo: number; succeeded: boolean }>(
    `select extract(epoch from now() - ended_at)::double precision as "secondsAgo", succeeded
     from periodic_tasks where name = $1 and ended_at is not null`,
    [name],
  )
  return rows[0]
}
