/** Programs that ask to be signed in from a terminal (RFC 8628). Both codes are stored only as their SHA-256. */
import { and, count, eq, gt, lt, sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, instant } from '../columns/columns.ts'

export const deviceLogins = pgTable(
  'device_logins',
  {
    /** Of the code that the program polls with. */
    deviceHash: bytewiseText('device_hash').primaryKey(),
    /** Of the code that a person types. */
    userHash: bytewiseText('user_hash').notNull().unique(),
    scope: text('scope', { enum: ['read', 'write', 'admin'] }).notNull(),
    /** `owner/slug` as the program wrote it; null: the key is for all. */
    collection: text('collection'),
    label: text('label').notNull(),
    /** Of the program that asks. */
    userAgent: text('user_agent').notNull(),
    address: text('address').notNull(),
    /** Of the address: whose logins under way are counted together. */
    network: text('network').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    polledAt: instant('polled_at'),
    status: text('status', { enum: ['pending', 'allowed', 'refused'] }).notNull(),
    /** The account that allowed it. */
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    /** The collection that the key will be limited to. */
    collectionId: uuid('collection_id').references(() => collections.id, { onDelete: 'cascade' }),
    /** When the key will end; null: never. */
    keyExpiresAt: instant('key_expires_at'),
  },
  (t) => [
    index('device_logins_expires').on(t.expiresAt),
    index('device_logins_account').on(t.accountId),
    index('device_logins_collection').on(t.collectionId),
    check('device_logins_scope', sql`${t.scope} in ('read', 'write', 'admin')`),
    check('device_logins_status', sql`${t.status} in ('pending', 'allowed', 'refused')`),
    check('device_logins_allowed', sql`(${t.status} = 'allowed') = (${t.accountId} is not null)`),
  ],
)

export type DeviceLoginRow = typeof deviceLogins.$inferSelect

export async function insertDeviceLogin(tx: Tx, row: DeviceLoginRow): Promise<void> {
  await tx.orm.insert(deviceLogins).values(row)
}

/** How many have not ended: of all, and of those of one network. */
export async function countDeviceLogins(
  at: Queries,
  network: string,
  now: Date,
): Promise<{ all: number; ofNetwork: number }> {
  const rows = await at.orm
    .select({
      all: count(),
      ofNetwork: sql<number>`count(*) filter (where ${deviceLogins.network} = ${network})::int`,
    })
    .from(deviceLogins)
    .where(gt(deviceLogins.expiresAt, now))
  return rows[0]!
}

/** A pending login that has not expired. */
export async function findPendingDeviceLogin(
  at: Queries,
  userHash: string,
  now: Date,
): Promise<DeviceLoginRow | undefined> {
  return (await at.orm.select().from(deviceLogins).where(pending(userHash, now)).limit(1))[0]
}

const pending = (userHash: string, now: Date) =>
  and(
    eq(deviceLogins.userHash, userHash),
    eq(deviceLogins.status, 'pending'),
    gt(deviceLogins.expiresAt, now),
  )

export type DeviceDecision =
  | { status: 'allowed'; accountId: string; collectionId: string | null; keyExpiresAt: Date | null }
  | { status: 'refused' }

/** @returns false if it was decided meanwhile, or expired */
export async function decideDeviceLogin(
  tx: Tx,
  userHash: string,
  now: Date,
  decision: DeviceDecision,
): Promise<boolean> {
  const decided = await tx.orm
    .update(deviceLogins)
    .set(decision)
    .where(pending(userHash, now))
    .returning({ one: deviceLogins.userHash })
  return decided.length > 0
}

/** The login of a program that polls; others that poll with the same code wait until the transaction ends. */
export async function lockDeviceLogin(tx: Tx, deviceHash: string): Promise<DeviceLoginRow | undefined> {
  return (
    await tx.orm.select().from(deviceLogins).where(eq(deviceLogins.deviceHash, deviceHash)).for('update')
  )[0]
}

export async function notePoll(tx: Tx, deviceHash: string, polledAt: Date): Promise<void> {
  await tx.orm.update(deviceLogins).set({ polledAt }).where(eq(deviceLogins.deviceHash, deviceHash))
}

export async function deleteDeviceLogin(tx: Tx, deviceHash: string): Promise<void> {
  await tx.orm.delete(deviceLogins).where(eq(deviceLogins.deviceHash, deviceHash))
}

/** Drops those that ended before an instant. */
export async function dropEndedDeviceLogins(tx: Tx, before: Date): Promise<void> {
  await tx.orm.delete(deviceLogins).where(lt(deviceLogins.expiresAt, before))
}
