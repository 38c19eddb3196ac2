/**
 * Table of periodic tasks: of several servers, the first to claim a run does it. packages/registry/src/schedule.ts lists the tasks; a
 * task's name identifies its row, so a renamed task waits a whole period.
 */
import { boolean, pgTable, text } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'

/** Last run of each task. */
export const periodicTasks = pgTable('periodic_tasks', {
  name: text('name').primaryKey(),
  /** Start of the last run. */
  begunAt: instant('begun_at').notNull(),
  /** End of the last completed or failed run. Null: there was none. */
  endedAt: instant('ended_at'),
  /** True if that run succeeded. */
  succeeded: boolean('succeeded'),
})

/**
 * Returns true to one caller if the last run of the task began at least that many seconds ago, by the database's clock. A new task is
 * inserted as begun now.
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

/** Seconds since the last end of a task, by the database's clock, and whether it succeeded. Undefined: it has never ended. */
export async function lastEndOf(
  at: Queries,
  name: string,
): Promise<{ secondsAgo: number; succeeded: boolean } | undefined> {
  const { rows } = await at.query<{ secondsAgo: number; succeeded: boolean }>(
    `select extract(epoch from now() - ended_at)::double precision as "secondsAgo", succeeded
     from periodic_tasks where name = $1 and succeeded is not null`,
    [name],
  )
  return rows[0]
}

/** Time of the last end of a task, to compare with an earlier one; null: it has never ended. */
export async function endTimeOf(at: Queries, name: string): Promise<string | null> {
  const { rows } = await at.query<{ ended: string | null }>(
    `select ended_at::text as ended from periodic_tasks where name = $1`,
    [name],
  )
  return rows[0]?.ended ?? null
}
