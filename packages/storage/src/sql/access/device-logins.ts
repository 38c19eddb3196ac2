/** Programs that ask to be signed in from a terminal (RFC 8628). Both codes are stored only as their SHA-256. */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, Values } from '../columns/rows.ts'

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
  await tx.query(...insertInto(deviceLogins, row))
}

/** How many have not ended: of all, and of those of one network. */
export async function countDeviceLogins(
  at: Queries,
  network: string,
  now: Date,
): Promise<{ all: number; ofNetwork: number }> {
  const { rows } = await at.query<{ all: number; ofNetwork: number }>(
    `select count(*) as all, count(*) filter (where network = $1) as "ofNetwork" from device_logins where expires_at > $2`,
    [network, now],
  )
  return rows[0]!
}

const isPending = "user_hash = $1 and status = 'pending' and expires_at > $2"

/** A pending login that has not expired. */
export async function findPendingDeviceLogin(
  at: Queries,
  userHash: string,
  now: Date,
): Promise<DeviceLoginRow | undefined> {
  const { rows } = await at.query<DeviceLoginRow>(
    `select ${columnsOf(deviceLogins)} from device_logins where ${isPending}`,
    [userHash, now],
  )
  return rows[0]
}

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
  const values = new Values(userHash, now)
  const { rows } = await tx.query(
    `update device_logins set ${values.changes(deviceLogins, decision)} where ${isPending} returning 1`,
    values.given,
  )
  return rows.length > 0
}

/** The login of a program that polls; others that poll with the same code wait until the transaction ends. */
export async function lockDeviceLogin(tx: Tx, deviceHash: string): Promise<DeviceLoginRow | undefined> {
  const { rows } = await tx.query<DeviceLoginRow>(
    `select ${columnsOf(deviceLogins)} from device_logins where device_hash = $1 for update`,
    [deviceHash],
  )
  return rows[0]
}

export async function notePoll(tx: Tx, deviceHash: string, polledAt: Date): Promise<void> {
  await tx.query('update device_logins set polled_at = $2 where device_hash = $1', [deviceHash, polledAt])
}

export async function deleteDeviceLogin(tx: Tx, deviceHash: string): Promise<void> {
  await tx.query('delete from device_logins where device_hash = $1', [deviceHash])
}

/** Drops those that ended before an instant. */
export async function dropEndedDeviceLogins(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from device_logins where expires_at < $1', [before])
}
