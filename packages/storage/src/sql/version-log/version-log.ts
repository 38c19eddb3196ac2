/**
 * Tables of the registry's signed log (docs/verifying.md): leaves with their statements, tiles of the Merkle tree, the latest checkpoint.
 * A leaf stays for ever and says nothing; its statement and salts go when a version or a person is erased.
 */
import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { bytes, bytewiseText, count, instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'

export const logLeaves = pgTable(
  'log_leaves',
  {
    /** Place in the log, from 0 on without gaps. */
    index: count('index').primaryKey(),
    /** 64 bytes: slot and commitment. */
    leaf: bytes('leaf').notNull(),
    /** The registry’s own id for its own statements; null once the collection is gone. */
    collectionId: uuid('collection_id'),
    /** 1, 2, … in the collection. */
    seq: count('seq').notNull(),
    versionId: uuid('version_id'),
    /** `owner/slug` in the statement; null once that is erased. */
    name: bytewiseText('name'),
    /** When it was stated, to find names that an account had at that time. */
    at: instant('at').notNull(),
    /** JCS; null once it is erased, with the salts. */
    statement: text('statement'),
    salt: bytes('salt'),
    /** Of versions, for members. */
    fullSalt: bytes('full_salt'),
    /** Of leaves that begin a chain of keys, for the proof of later ones; stays when the statement is erased. */
    commitment: bytes('commitment'),
  },
  (t) => [
    uniqueIndex('log_leaves_collection').on(t.collectionId, t.seq),
    uniqueIndex('log_leaves_links').on(t.collectionId, t.seq).where(sql`${t.commitment} is not null`),
    index('log_leaves_version').on(t.versionId),
    index('log_leaves_name').on(t.name),
  ],
)
export type LogLeafRow = typeof logLeaves.$inferSelect

/** Last statement of each collection, and of the registry itself under its own id. */
export const logHeads = pgTable('log_heads', {
  collectionId: uuid('collection_id').primaryKey(),
  seq: count('seq').notNull(),
  /** Hash of its leaf, hexadecimal. */
  leafHash: text('leaf_hash').notNull(),
  /** 32 random bytes, from which the keys of all slots follow: readers get single keys only. */
  secret: bytes('secret').notNull(),
})
export type LogHeadRow = typeof logHeads.$inferSelect

/** The widest tile of each place: hashes of 32 bytes. */
export const logTiles = pgTable(
  'log_tiles',
  { level: integer('level').notNull(), index: count('index').notNull(), hashes: bytes('hashes').notNull() },
  (t) => [primaryKey({ columns: [t.level, t.index] })],
)

/** One row: the log. */
export const logState = pgTable(
  'log_state',
  {
    onlyOne: boolean('only_one').primaryKey(),
    /** Collection id of statements of the registry itself. */
    registryId: uuid('registry_id').notNull(),
    /** Null until a key signs. */
    origin: text('origin'),
    /** Number of leaves. */
    size: count('size').notNull(),
    /** Size that `checkpoint` is about. */
    signedSize: count('signed_size').notNull(),
    /** Signed note with the lines of witnesses; null before the first. */
    checkpoint: text('checkpoint'),
    /** When `signedSize` was signed; null before the first checkpoint. */
    signedAt: instant('signed_at'),
    /** When a backup was restored, after which the log continues under another name; null: never. */
    restoredAt: instant('restored_at'),
  },
  (t) => [check('log_state_only_one', sql`${t.onlyOne}`)],
)
export type LogStateRow = typeof logState.$inferSelect

/** Keys that have signed checkpoints. */
export const logKeys = pgTable('log_keys', {
  vkey: text('vkey').primaryKey(),
  since: instant('since').notNull(),
  /** It signs no longer from then on; null: not known yet. */
  until: instant('until'),
})
export type LogKeyRow = typeof logKeys.$inferSelect

export async function findLog(at: Queries): Promise<LogStateRow | undefined> {
  return (await at.query<LogStateRow>(`select ${columnsOf(logState)} from log_state`)).rows[0]
}

/** Locks the log. Undefined if there is none yet, or, unless `waits`, while another transaction has it. */
export async function lockLog(tx: Tx, waits: boolean): Promise<LogStateRow | undefined> {
  const how = waits ? '' : 'skip locked'
  return (await tx.query<LogStateRow>(`select ${columnsOf(logState)} from log_state for update ${how}`))
    .rows[0]
}

/** Makes the log. Does nothing if there is one. */
export async function beginLog(tx: Tx, registryId: string): Promise<void> {
  const none = { origin: null, size: 0, signedSize: 0, checkpoint: null, signedAt: null, restoredAt: null }
  const row = { onlyOne: true, registryId, ...none }
  await tx.query(...insertInto(logState, row, 'on conflict do nothing'))
}

/**
 * Erases statements that name the account at a time when it had that name, and gives it another name in those that are queued. Takes the
 * former slugs from `former_account_slugs`. Statements of the registry itself stay, whose names may begin like an account's.
 */
export async function forgetLogNames(tx: Tx, accountId: string, name: string): Promise<void> {
  // Waits for leaves that another transaction is writing.
  await tx.query('select from log_state for share')
  const isNamed = (table: string) => `exists (select from former_account_slugs f where f.account_id = $1
    and f.slug = split_part(${table}.name, '/', 1) and ${table}.at < f.since + interval '1 day'
    and not exists (select from former_account_slugs earlier where earlier.slug_hash = f.slug_hash
      and earlier.account_id <> $1 and ${table}.at < earlier.since and earlier.since < f.since))`
  await tx.query(
    `update log_queue set name = $2 || substr(name, length(split_part(name, '/', 1)) + 1) where ${isNamed('log_queue')}`,
    [accountId, name],
  )
  await tx.query(
    `update log_leaves set name = null, statement = null, salt = null, full_salt = null
     where name is not null and collection_id <> (select registry_id from log_state) and ${isNamed('log_leaves')}`,
    [accountId],
  )
}

/** Locks nothing: before a write the log must be locked. */
export async function logHeadsOf(at: Queries, collectionIds: readonly string[]): Promise<LogHeadRow[]> {
  const text = `select ${columnsOf(logHeads)} from log_heads where collection_id = any($1::uuid[])`
  return (await at.query<LogHeadRow>(text, [collectionIds])).rows
}

export interface LogTile {
  level: number
  index: number
  hashes: Uint8Array
}

/** Writes leaves, heads and tiles, and the new size. The log must be locked. */
export async function appendLeaves(
  tx: Tx,
  {
    leaves,
    heads,
    tiles,
  }: { leaves: readonly LogLeafRow[]; heads: readonly LogHeadRow[]; tiles: readonly LogTile[] },
): Promise<void> {
  await tx.query(...insertInto(logLeaves, leaves))
  const head = 'on conflict (collection_id) do update set seq = excluded.seq, leaf_hash = excluded.leaf_hash'
  await tx.query(...insertInto(logHeads, heads, head))
  await tx.query(
    ...insertInto(logTiles, tiles, 'on conflict (level, index) do update set hashes = excluded.hashes'),
  )
  await tx.query('update log_state set size = size + $1', [leaves.length])
}

/** Names a log that has no name. */
export async function nameLog(tx: Tx, origin: string): Promise<void> {
  await tx.query('update log_state set origin = $1 where origin is null', [origin])
}

/** The latest checkpoint, unless a larger one, or one of this size with as many signatures, is there, or the log has another name. */
export async function keepCheckpoint(tx: Tx, size: number, checkpoint: string): Promise<void> {
  await tx.query(
    `update log_state set signed_size = $1, checkpoint = $2,
       signed_at = case when signed_size < $1 or checkpoint is null then now() else signed_at end
     where split_part($2, chr(10), 1) = origin
       and (signed_size < $1 or checkpoint is null or (signed_size = $1 and length(checkpoint) < length($2)))`,
    [size, checkpoint],
  )
}

/**
 * Lets the log of a restored backup go on under another name: under the old one it could contradict what was published after the backup.
 * All leaves stay. The next sequencing admits the key.
 * @param origin null if the log has none yet
 */
export async function restartLog(tx: Tx, { origin, at }: { origin: string | null; at: Date }): Promise<void> {
  await tx.query(
    'update log_state set origin = $1, signed_size = 0, checkpoint = null, signed_at = null, restored_at = $2::timestamptz',
    [origin, at],
  )
  await tx.query('delete from log_keys')
}

export async function listLogKeys(at: Queries): Promise<LogKeyRow[]> {
  return (await at.query<LogKeyRow>(`select ${columnsOf(logKeys)} from log_keys order by since, vkey`)).rows
}

export async function insertLogKey(tx: Tx, row: LogKeyRow): Promise<void> {
  await tx.query(...insertInto(logKeys, row, 'on conflict do nothing'))
}

/** Limits the keys that have no end. */
export async function limitLogKeys(tx: Tx, until: Date): Promise<void> {
  await tx.query('update log_keys set until = $1 where until is null', [until])
}

/** Hashes of tiles, in the order of the places; undefined for those that are not there. */
export async function readTiles(
  at: Queries,
  places: readonly { level: number; index: number }[],
): Promise<(Uint8Array | undefined)[]> {
  const { rows } = await at.query<LogTile>(
    `select ${columnsOf(logTiles)} from log_tiles
     where (level, index) in (select * from unnest($1::int[], $2::bigint[]))`,
    [places.map(({ level }) => level), places.map((place) => place.index)],
  )
  return places.map(
    ({ level, index: at }) => rows.find((row) => row.level === level && row.index === at)?.hashes,
  )
}

/** Leaves from an index on, 64 bytes each, in order. */
export async function leavesFrom(at: Queries, from: number, limit: number): Promise<Uint8Array[]> {
  const text = 'select leaf from log_leaves where index >= $1 order by index limit $2'
  return (await at.query<{ leaf: Uint8Array }>(text, [from, limit])).rows.map(({ leaf }) => leaf)
}

/** The statement about the making of a version. Undefined if it has none (yet). */
export async function findLeafOfVersion(at: Queries, versionId: string): Promise<LogLeafRow | undefined> {
  const text = `select ${columnsOf(logLeaves)} from log_leaves where version_id = $1 order by index limit 1`
  return (await at.query<LogLeafRow>(text, [versionId])).rows[0]
}

/** Leaves of a collection that begin chains of keys, before a number, in order. */
export async function listLinksOf(at: Queries, collectionId: string, before: number): Promise<LogLeafRow[]> {
  const text = `select ${columnsOf(logLeaves)} from log_leaves
    where collection_id = $1 and seq < $2 and commitment is not null order by seq`
  return (await at.query<LogLeafRow>(text, [collectionId, before])).rows
}

/** Statements of a collection after a number, in order. */
export async function listLeavesOf(
  at: Queries,
  collectionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<LogLeafRow[]> {
  const text = `select ${columnsOf(logLeaves)} from log_leaves where collection_id = $1 and seq > $2 order by seq limit $3`
  return (await at.query<LogLeafRow>(text, [collectionId, after, limit])).rows
}
