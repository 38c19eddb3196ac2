/** Browser sessions. The cookie's token is stored only as its SHA-256. */
import { and, desc, eq, gt, lt, ne, sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { prepared } from '../../database/look-ups.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { accounts } from './accounts.ts'

export const browserSessions = pgTable(
  'browser_sessions',
  {
    tokenHash: bytewiseText('token_hash').primaryKey(),
    /** Id shown to its account. */
    id: uuid('id').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** The browser's `User-Agent` at sign-in. */
    userAgent: text('user_agent').notNull(),
    createdAt: instant('created_at').notNull(),
    /** Moves together with `expiresAt`. */
    lastUsedAt: instant('last_used_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sessions_account').on(t.accountId), index('sessions_expires').on(t.expiresAt)],
)

export type SessionRow = typeof browserSessions.$inferSelect

/** A session with the slug of its account, by the hash of its token: one look-up. */
export async function findSession(
  at: Queries,
  tokenHash: string,
): Promise<(SessionRow & { accountSlug: string; suspendedAt: Date | null }) | undefined> {
  const [row] = await sessionByToken(at, { tokenHash })
  return row && { ...row.session, accountSlug: row.accountSlug, suspendedAt: row.suspendedAt }
}

const sessionByToken = prepared((orm) =>
  orm
    .select({ session: browserSessions, accountSlug: accounts.slug, suspendedAt: accounts.suspendedAt })
    .from(browserSessions)
    .innerJoin(accounts, eq(accounts.id, browserSessions.accountId))
    .where(eq(browserSessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare('session_by_token'),
)

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx.orm.insert(browserSessions).values(session)
}

/** Moves a session's end; never to before where it is. */
export async function extendSession(
  tx: Tx,
  tokenHash: string,
  use: Pick<SessionRow, 'lastUsedAt' | 'expiresAt'>,
): Promise<void> {
  const sooner = and(eq(browserSessions.tokenHash, tokenHash), lt(browserSessions.expiresAt, use.expiresAt))
  await tx.orm.update(browserSessions).set(use).where(sooner)
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.orm.delete(browserSessions).where(eq(browserSessions.tokenHash, tokenHash))
}

/** Sessions of an account that have not ended, the last used first. */
export function listSessions(
  at: Queries,
  accountId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<SessionRow[]> {
  return at.orm
    .select()
    .from(browserSessions)
    .where(and(eq(browserSessions.accountId, accountId), gt(browserSessions.expiresAt, now)))
    .orderBy(desc(browserSessions.lastUsedAt), desc(browserSessions.createdAt), browserSessions.id)
    .limit(limit)
}

/** @returns false: the account has no such session */
export async function deleteSessionOf(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const one = and(eq(browserSessions.accountId, accountId), eq(browserSessions.id, id))
  return (await tx.orm.delete(browserSessions).where(one).returning({ id: browserSessions.id })).length > 0
}

/** All of an account, but one. @returns how many these were */
export async function deleteSessionsBut(
  tx: Tx,
  accountId: string,
  kept: string | undefined,
): Promise<number> {
  const others = and(
    eq(browserSessions.accountId, accountId),
    kept === undefined ? undefined : ne(browserSessions.tokenHash, kept),
  )
  return (await tx.orm.delete(browserSessions).where(others).returning({ id: browserSessions.id })).length
}
