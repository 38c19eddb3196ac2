/**
 * Table of browser sessions and its statements. The cookie's token is stored only as its SHA-256. Every request of a signed-in browser runs
 * `findSession`: keep it one look-up.
 */
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
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
    /** Updated together with `expiresAt`. */
    lastUsedAt: instant('last_used_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sessions_account').on(t.accountId), index('sessions_expires').on(t.expiresAt)],
)

export type SessionRow = typeof browserSessions.$inferSelect

/** A session with the slug of its account, found by the hash of its token in one look-up. */
export async function findSession(at: Queries, tokenHash: string): Promise<FoundSession | undefined> {
  const { rows } = await at.lookUp<FoundSession>(sessionByToken, [tokenHash], 'session_by_token')
  return rows[0]
}

type FoundSession = SessionRow & { accountSlug: string; suspendedAt: Date | null }

const sessionByToken = `select ${columnsOf(browserSessions)}, slug as "accountSlug", suspended_at as "suspendedAt"
  from browser_sessions join accounts on accounts.id = account_id where token_hash = $1`

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx.query(...insertInto(browserSessions, session))
}

/** Extends a session; never shortens it. */
export async function extendSession(
  tx: Tx,
  tokenHash: string,
  { lastUsedAt, expiresAt }: Pick<SessionRow, 'lastUsedAt' | 'expiresAt'>,
): Promise<void> {
  await tx.query(
    'update browser_sessions set last_used_at = $2, expires_at = $3 where token_hash = $1 and expires_at < $3',
    [tokenHash, lastUsedAt, expiresAt],
  )
}

export async function deleteSession(tx: Tx, tokenHash: string): Promise<void> {
  await tx.query('delete from browser_sessions where token_hash = $1', [tokenHash])
}

/** Unexpired sessions of an account, most recently used first. */
export async function listSessions(
  at: Queries,
  accountId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<SessionRow[]> {
  const { rows } = await at.query<SessionRow>(
    `select ${columnsOf(browserSessions)} from browser_sessions where account_id = $1 and expires_at > $2
     order by last_used_at desc, created_at desc, id limit $3`,
    [accountId, now, limit],
  )
  return rows
}

/** @returns false if the account has no such session */
export async function deleteSessionOf(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { rows } = await tx.query(
    'delete from browser_sessions where account_id = $1 and id = $2 returning 1',
    [accountId, id],
  )
  return rows.length > 0
}

/** Deletes all sessions of an account except one. @returns the number of deleted sessions */
export async function deleteSessionsBut(
  tx: Tx,
  accountId: string,
  kept: string | undefined,
): Promise<number> {
  const { rows } = await tx.query(
    'delete from browser_sessions where account_id = $1 and token_hash is distinct from $2 returning 1',
    [accountId, kept],
  )
  return rows.length
}
