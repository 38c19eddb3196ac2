/** The last complete backup by `ulmus-server backup`, for the metrics: one row. A dump contains the row of the previous backup. */
import { sql } from 'drizzle-orm'
import { boolean, check, doublePrecision, pgTable } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { count, instant } from '../columns/columns.ts'

export const lastBackup = pgTable(
  'last_backup',
  {
    /** Always true, so that there is one row. */
    onlyOne: boolean('only_one').primaryKey().default(true),
    /** Moment of its dump. */
    takenAt: instant('taken_at').notNull(),
    seconds: doublePrecision('seconds').notNull(),
    bytes: count('bytes').notNull(),
  },
  (t) => [check('last_backup_only_one', sql`${t.onlyOne}`)],
)

/** A complete backup. */
export interface MadeBackup {
  /** From the dump to the end. */
  readonly seconds: number
  /** The dump and all blobs, also those that an earlier backup had copied. */
  readonly bytes: number
}

/** Records a backup that ended now, by the database's clock. One that began earlier than the recorded one does not replace it. */
export async function noteBackup(tx: Tx, { seconds, bytes }: MadeBackup): Promise<void> {
  await tx.query(
    `insert into last_backup (taken_at, seconds, bytes)
     values (now() - make_interval(secs => $1::double precision), $1, $2)
     on conflict (only_one) do update set taken_at = excluded.taken_at, seconds = excluded.seconds, bytes = excluded.bytes
       where excluded.taken_at > last_backup.taken_at`,
    [seconds, bytes],
  )
}

/** The last backup and the seconds since its dump, by the database's clock. Undefined: there was none. */
export async function findLastBackup(
  at: Queries,
): Promise<(MadeBackup & { secondsAgo: number }) | undefined> {
  const { rows } = await at.query<MadeBackup & { secondsAgo: number }>(
    `select extract(epoch from now() - taken_at)::double precision as "secondsAgo", seconds, bytes from last_backup`,
  )
  return rows[0]
}
