/**
 * Table of device logins: programs in a terminal that wait for a person to allow a key (RFC 8628). Both codes are stored only as their
 * SHA-256, so that a copy of the database lets no one in.
 */
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
    /** Hash of the code that the program polls with. */
    deviceHash: bytewiseText('device_hash').primaryKey(),
    /** Hash of the code that a person types. */
    userHash: bytewiseText('user_hash').notNull().unique(),
    scope: text('scope', { enum: ['read', 'write', 'admin'] }).notNull(),
    /** `owner/slug` as the program sent it; null: the key is for all collections. */
    collection: text('collection'),
    label: text('label').notNull(),
    /** `User-Agent` of the program. */
    userAgent: text('user_agent').notNull(),
    address: text('address').notNull(),
    /** Network of the address; pending logins are counted by network. */
    network: text('network').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    polledAt: instant('polled_at'),
    status: text('status', { enum: ['pending', 'allowed', 'refused'] }).notNull(),
    /** The account that allowed it. */
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    /** The collection that the key will be limited to. */
    collectionId: uuid('collection_id').references(() => collections.id, { onDelete: 'cascade' }),
    /** When the key will expire; null: never. */
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

/** Counts the logins that have not expired: all, and those of one network. */
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

/** Decision of the person: with `allowed`, the account and the limits of the key that the program gets at its next poll. */
export type DeviceDecision =
  | { status: 'allowed'; accountId: string; collectionId: string | null; keyExpiresAt: Date | null }
  | { status: 'refused' }

/** @returns false if the login was decided meanwhile, or has expired */
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

/** Locks the login of a polling program; other polls with the same code wait until the transaction ends. */
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

/** Drops logins that expired before an instant. */
export async function dropEndedDeviceLogins(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from device_logins where expires_at < $1', [before])
}
