/**
 * Table of API keys and its statements. The raw key is stored only as its SHA-256, so a key that its owner has lost cannot be recovered.
 * Every request with a key runs `findKeyByHash`: keep it one look-up.
 */
import { sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections } from '../collections/collections.ts'
import { bytewiseText, instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
import type { Workload } from '../columns/workload.ts'
import { trustedPublishers } from './trusted-publishers.ts'

export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    hash: bytewiseText('hash').notNull().unique(),
    /** First 9 characters of the raw key, so that its owner can recognise it. */
    start: text('start').notNull(),
    label: text('label').notNull(),
    scope: text('scope', { enum: ['read', 'write', 'admin'] }).notNull(),
    /** True: the key works for the collections of its rows in `key_collections` alone, and is deleted with the last of them. */
    limited: boolean('limited').notNull().default(false),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at'),
    /** Precise to the minute. */
    lastUsedAt: instant('last_used_at'),
    /** Of a key that was exchanged for a token of this publisher; such keys are not listed. */
    publisherId: uuid('publisher_id').references(() => trustedPublishers.id, { onDelete: 'cascade' }),
    /** The job that the token was issued to. */
    workload: jsonb('workload').$type<Workload>(),
    /** The key acts with this role at most, whatever the account has. Null: with the account's. */
    roleCap: text('role_cap', { enum: ['member'] }),
  },
  (t) => [
    index('api_keys_account').on(t.accountId, t.createdAt),
    index('api_keys_publisher').on(t.publisherId, t.expiresAt).where(sql`${t.publisherId} is not null`),
    check('api_keys_scope', sql`${t.scope} in ('read', 'write', 'admin')`),
    // The scope `admin` is for managing, which a member cannot.
    check(
      'api_keys_role_cap',
      sql`${t.roleCap} is null or (${t.roleCap} = 'member' and ${t.scope} <> 'admin')`,
    ),
  ],
)

/** Collections that limited keys work for. */
export const keyCollections = pgTable(
  'key_collections',
  {
    keyId: uuid('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.keyId, t.collectionId] }),
    index('key_collections_collection').on(t.collectionId),
  ],
)

/** A key. `collectionIds`: the collections that it is limited to, in the order of their ids; null: it is not limited. */
export type KeyRow = Omit<typeof apiKeys.$inferSelect, 'limited'> & { collectionIds: string[] | null }

const collectionIdsText = `case when limited then array(
  select collection_id from key_collections where key_id = api_keys.id order by collection_id) end as "collectionIds"`

/** A key with the slug of its account, found by the hash of the raw key in one look-up. */
export type FoundKey = KeyRow & { accountSlug: string; suspendedAt: Date | null }

export async function findKeyByHash(at: Queries, hash: string): Promise<FoundKey | undefined> {
  const { rows } = await at.lookUp<FoundKey>(keyByHash, [hash], 'key_by_hash')
  return rows[0]
}

const keyByHash = `select ${columnsOf(apiKeys)}, ${collectionIdsText}, accounts.slug as "accountSlug", accounts.suspended_at as "suspendedAt"
  from api_keys join accounts on accounts.id = api_keys.account_id where api_keys.hash = $1`

export async function findKeyOf(at: Queries, accountId: string, id: string): Promise<KeyRow | undefined> {
  const { rows } = await at.query<KeyRow>(
    `select ${columnsOf(apiKeys)}, ${collectionIdsText} from api_keys where id = $1 and account_id = $2 and publisher_id is null`,
    [id, accountId],
  )
  return rows[0]
}

/** Oldest first, without keys of publishers. */
export async function listKeys(at: Queries, accountId: string): Promise<KeyRow[]> {
  const { rows } = await at.query<KeyRow>(
    `select ${columnsOf(apiKeys)}, ${collectionIdsText} from api_keys where account_id = $1 and publisher_id is null order by created_at, id`,
    [accountId],
  )
  return rows
}

/** Counts unexpired keys of an account, without those of publishers. Exact only while the account is locked. */
export async function countLiveKeys(tx: Tx, accountId: string, now: Date): Promise<number> {
  const { rows } = await tx.query<{ live: number }>(
    `select count(*) as live from api_keys
     where account_id = $1 and publisher_id is null and (expires_at is null or expires_at > $2)`,
    [accountId, now],
  )
  return rows[0]!.live
}

/** @throws a foreign key violation if one of the collections is gone */
export async function insertKey(tx: Tx, { collectionIds, ...key }: KeyRow): Promise<void> {
  await tx.query(...insertInto(apiKeys, { ...key, limited: collectionIds !== null }))
  if (collectionIds === null) return
  await tx.query('insert into key_collections (key_id, collection_id) select $1, unnest($2::uuid[])', [
    key.id,
    collectionIds,
  ])
}

export async function deleteKey(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from api_keys where id = $1 returning 1', [id])).rows.length > 0
}

/** Drops an account's keys that expired before an instant. */
export async function deleteKeysExpiredBefore(tx: Tx, accountId: string, before: Date): Promise<void> {
  await tx.query('delete from api_keys where account_id = $1 and expires_at < $2', [accountId, before])
}

/** Records that a key was used in a minute; a later recorded use is kept. */
export async function touchKey(tx: Tx, id: string, minute: Date): Promise<{ isFirst: boolean }> {
  const touch = async (before: string): Promise<boolean> => {
    const text = `update api_keys set last_used_at = $2 where id = $1 and ${before} returning 1`
    return (await tx.query(text, [id, minute])).rows.length > 0
  }
  if (await touch('last_used_at < $2')) return { isFirst: false }
  return { isFirst: await touch('last_used_at is null') }
}
