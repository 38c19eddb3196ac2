/** Witnesses of the log: lines that they add to its checkpoint, and what this registry cosigned as a witness of other logs. */
import { pgTable } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytes, bytewiseText, count } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'

/** Logs of others that this registry witnesses: the latest checkpoint that it cosigned. */
export const logWitnessed = pgTable('log_witnessed', {
  origin: bytewiseText('origin').primaryKey(),
  size: count('size').notNull(),
  /** 32 bytes. */
  root: bytes('root').notNull(),
})
export type LogWitnessedRow = typeof logWitnessed.$inferSelect

/** Adds a witness’s line to the checkpoint, if that still has this text and no line of this witness. */
export async function addCosignature(
  at: Queries,
  { text, name, line }: { text: string; name: string; line: string },
): Promise<void> {
  await at.query(
    `update log_state set checkpoint = checkpoint || $1
     where left(checkpoint, length($2)) = $2 and strpos(checkpoint, $3) = 0`,
    [line, `${text}\n`, `\n— ${name} `],
  )
}

/** Undefined if none of its checkpoints was cosigned. */
export async function findWitnessed(at: Queries, origin: string): Promise<LogWitnessedRow | undefined> {
  const text = `select ${columnsOf(logWitnessed)} from log_witnessed where origin = $1`
  return (await at.query<LogWitnessedRow>(text, [origin])).rows[0]
}

/** Replaces the latest checkpoint. @returns false, and changes nothing, unless it is `before` */
export async function replaceWitnessed(
  tx: Tx,
  before: LogWitnessedRow | undefined,
  after: LogWitnessedRow,
): Promise<boolean> {
  const [text, values] =
    before === undefined
      ? insertInto(logWitnessed, after, 'on conflict do nothing returning origin')
      : [
          'update log_witnessed set size = $2, root = $3 where origin = $1 and size = $4 and root = $5 returning origin',
          [after.origin, after.size, after.root, before.size, before.root],
        ]
  return (await tx.query(text, values as unknown[])).rows.length === 1
}
