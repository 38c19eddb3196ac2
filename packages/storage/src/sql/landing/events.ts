/** What happened, one row each, written by the transaction that made it so: for feeds, webhooks and audits. */
import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../columns/columns.ts'

/**
 * Rows refer to no others: an event outlives its collection and its account. Ids ascend by when rows were written, not by when their
 * transactions ended: whoever reads on from an id must expect one below it to appear for as long as a transaction lasts.
 */
export const events = pgTable(
  'events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** `version.created`. */
    kind: text('kind').notNull(),
    at: instant('at').notNull(),
    /** Who did it. */
    accountId: uuid('account_id').notNull(),
    collectionId: uuid('collection_id'),
    versionId: uuid('version_id'),
  },
  (t) => [index('events_collection').on(t.collectionId, t.id)],
)
