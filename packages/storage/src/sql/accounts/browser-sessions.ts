/** Browser sessions. The cookie's token is stored only as its SHA-256. */
import { and, eq, lt, sql } from 'drizzle-orm'
import { index, pgTable, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { accounts } from './accounts.ts'

export const browserSessions = pgTable(
  'browser_sessions',
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

export type SessionRow = typeof browserSessions.$inferSelect

/** A session with the slug of its account, by the hash of its token: one look-up. */
export async function findSession(
  at: Queries,
  tokenHash: string,
): Promise<(SessionRow & { accountSlug: string }) | undefined> {
  const [row] = await sessionByToken(at, { tokenHash })
  return row && { ...row.session, accountSlug: row.accountSlug }
}

const sessionByToken = prepared((orm) =>
  orm
    .select({ session: browserSessions, accountSlug: accounts.slug })
    .from(browserSessions)
    .innerJoin(accounts, eq(accounts.id, browserSessions.accountId))
    .where(eq(browserSessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare('session_by_token'),
)

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx.orm.insert(browserSessions).values(session)
}

/** Moves a session's end; never to before where it is. */
export async function extendSession(tx: Tx, tokenHash: string, expiresAt: Date): Promise<void> {
  const sooner = and(eq(browserSessions.tokenHash, tokenHash), lt(browserSessions.expiresAt, expiresAt))
  await tx.orm.update(browserSessions).set({ expiresAt }).where(sooner)
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.orm.delete(browserSessions).where(eq(browserSessions.tokenHash, tokenHash))
}
