/** Table of collections that operators have opened for themselves, with the reason, to read private content for a limited time. */
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { instant } from '../columns/columns.ts'

export const operatorOpenings = pgTable(
  'operator_openings',
  {
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    /** The operator. */
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** The owner whose audit log has the act: a later owner's collection is not open. */
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    until: instant('until').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.collectionId, t.accountId] }),
    index('operator_openings_account').on(t.accountId),
    index('operator_openings_owner').on(t.ownerId),
    index('operator_openings_until').on(t.until),
  ],
)

export type OperatorOpening = typeof operatorOpenings.$inferSelect

/** Opens a collection for an operator, or again with another reason and end. */
export async function putOpening(
  tx: Tx,
  { collectionId, accountId, ownerId, reason, until }: OperatorOpening,
): Promise<void> {
  await tx.query(
    `insert into operator_openings (collection_id, account_id, owner_id, reason, until) values ($1, $2, $3, $4, $5)
     on conflict (collection_id, account_id)
     do update set owner_id = excluded.owner_id, reason = excluded.reason, until = excluded.until`,
    [collectionId, accountId, ownerId, reason, until],
  )
}

/** Drops openings that ended before an instant. */
export async function dropEndedOpenings(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from operator_openings where until < $1', [before])
}
