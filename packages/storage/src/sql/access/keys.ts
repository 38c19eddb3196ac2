/** API keys. The raw key is stored only as its SHA-256. */
import { and, asc, count, eq, gt, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { prepared } from '../../database/look-ups.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, instant } from '../columns/columns.ts'

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

export type KeyRow = typeof apiKeys.$inferSelect

/** A key with the slug of its account, by the hash of the raw key: one look-up. */
export type FoundKey = KeyRow & { accountSlug: string; suspendedAt: Date | null }

export async function findKeyByHash(at: Queries, hash: string): Promise<FoundKey | undefined> {
  const [row] = await keyByHash(at, { hash })
  return row && { ...row.key, accountSlug: row.accountSlug, suspendedAt: row.suspendedAt }
}

const keyByHash = prepared((orm) =>
  orm
    .select({ key: apiKeys, accountSlug: accounts.slug, suspendedAt: accounts.suspendedAt })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.hash, sql.placeholder('hash')))
    .prepare('key_by_hash'),
)

export async function findKeyOf(at: Queries, accountId: string, id: string): Promise<KeyRow | undefined> {
  const own = and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId))
  return (await at.orm.select().from(apiKeys).where(own).limit(1))[0]
}

/** Oldest first. */
export async function listKeys(at: Queries, accountId: string): Promise<KeyRow[]> {
  return at.orm
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
}

/** Keys of an account that have not expired. Certain only while the account is locked. */
export async function countLiveKeys(tx: Tx, accountId: string, now: Date): Promise<number> {
  const live = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))
  const rows = await tx.orm
    .select({ live: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), live))
  return rows[0]!.live
}

export async function insertKey(tx: Tx, key: KeyRow): Promise<void> {
  await tx.orm.insert(apiKeys).values(key)
}

export async function deleteKey(tx: Tx, id: string): Promise<boolean> {
  return (await tx.orm.delete(apiKeys).where(eq(apiKeys.id, id)).returning({ id: apiKeys.id })).length > 0
}

/** Drops keys of an account that expired before an instant. */
export async function deleteKeysExpiredBefore(tx: Tx, accountId: string, before: Date): Promise<void> {
  await tx.orm.delete(apiKeys).where(and(eq(apiKeys.accountId, accountId), lt(apiKeys.expiresAt, before)))
}

/** Notes that a key was used in a minute; the later one stays. */
export async function touchKey(tx: Tx, id: string, minute: Date): Promise<{ isFirst: boolean }> {
  const touch = (before: SQL) =>
    tx.orm
      .update(apiKeys)
      .set({ lastUsedAt: minute })
      .where(and(eq(apiKeys.id, id), before))
      .returning({ id: apiKeys.id })
  if ((await touch(lt(apiKeys.lastUsedAt, minute))).length > 0) return { isFirst: false }
  return { isFirst: (await touch(isNull(apiKeys.lastUsedAt))).length > 0 }
}
