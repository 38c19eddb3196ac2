/** Accounts (users and organizations), the slugs they once had, the identities that sign in as them. */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { bytewiseText, instant } from './columns.ts'

export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    slug: bytewiseText('slug').notNull().unique(),
    type: text('type', { enum: ['user', 'org'] }).notNull(),
    displayName: text('display_name').notNull(),
    /** Users only; an org has none. */
    email: text('email'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [check('accounts_type', sql`${t.type} in ('user', 'org')`)],
)

/** A slug an account gave up: it leads to the account until another takes it. */
export const formerAccountSlugs = pgTable(
  'former_account_slugs',
  {
    slug: bytewiseText('slug').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
  },
  (t) => [index('former_account_slugs_account').on(t.accountId)],
)

/** Who an identity provider says someone is. (issuer, subject) never changes; an e-mail may. */
export const identities = pgTable(
  'identities',
  {
    issuer: bytewiseText('issuer').notNull(),
    subject: bytewiseText('subject').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_account').on(t.accountId)],
)

export type AccountRow = typeof accounts.$inferSelect
