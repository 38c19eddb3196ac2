/** Browser sessions. The cookie's token is stored only as its SHA-256. */
import { index, pgTable, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { bytewiseText, instant } from './columns.ts'

export const sessions = pgTable(
  'sessions',
  {
    tokenHash: bytewiseText('token_hash').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sessions_account').on(t.accountId), index('sessions_expires').on(t.expiresAt)],
)
