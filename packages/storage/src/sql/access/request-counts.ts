/**
 * Requests per caller, process and minute, for rate limits that processes share. Not durable: the table is unlogged
 * (request-counts.sql) and not dumped. An embedded database has one process, which shares nothing.
 */
import { integer, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core'
import type { Tx } from '../../database/database.ts'
import { bytewiseText, instant } from '../columns/columns.ts'

export const requestCounts = pgTable(
  'request_counts',
  {
    /** Start of the minute. */
    minute: instant('minute').notNull(),
    /** SHA-256 of the caller's name, which may be an address. */
    caller: bytewiseText('caller').notNull(),
    process: uuid('process').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [primaryKey({ columns: [t.minute, t.caller, t.process] })],
)

/** Requests of one caller in a minute. */
export interface CountOfCaller {
  readonly caller: string
  readonly requests: number
}

/**
 * Shares this process's counts of some callers in a minute, as totals, so that a repetition is harmless. Drops rows older than the
 * previous minute, which a process with a slow clock may still be in.
 * @returns the counts of all other processes for these callers
 */
export async function shareRequestCounts(
  tx: Tx,
  { process, minute, counts }: { process: string; minute: Date; counts: readonly CountOfCaller[] },
): Promise<CountOfCaller[]> {
  const { rows } = await tx.query<CountOfCaller>(
    `with past as (delete from request_counts where minute < $1::timestamptz - interval '1 minute'),
     told as (
       insert into request_counts (minute, caller, process, requests)
       select $1, caller, $2, requests from unnest($3::text[], $4::integer[]) as told (caller, requests)
       on conflict (minute, caller, process) do update set requests = excluded.requests)
     select caller, sum(requests)::double precision as requests from request_counts
     where minute = $1 and caller = any($3) and process <> $2 group by caller`,
    [minute, process, counts.map(({ caller }) => caller), counts.map(({ requests }) => requests)],
    'share_request_counts',
  )
  return rows
}

/** Drops counts of minutes that began before an instant. */
export async function dropRequestCounts(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from request_counts where minute < $1', [before])
}
