/** API keys. The raw key is stored only as its SHA-256. */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { collections } from './collections.ts'
import { bytewiseText, instant } from './columns.ts'

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    hash: bytewiseText('hash').notNull().unique(),
    /** The first 9 characters of the raw key, so that its owner can tell which it is. */
    start: text('start').notNull(),
    label: text('label').notNull(),
    scope: text('scope', { enum: ['read', 'write', 'admin'] }).notNull(),
    /** Set: the key is limited to this collection, and goes with it. */
    collectionId: uuid('collection_id').references(() => collections.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at'),
    /** Kept to the minute. */
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [
    index('api_keys_account').on(t.accountId, t.createdAt),
    index('api_keys_collection').on(t.collectionId),
    check('api_keys_scope', sql`${t.scope} in ('read', 'write', 'admin')`),
  ],
)
