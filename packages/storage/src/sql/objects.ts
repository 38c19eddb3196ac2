/** Where each stored object lies: hash → (pack, offset, length). Rebuildable from the packs' footers. */

import type { Hash } from '@ulmus/content'
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { ObjectKind } from '../objects/errors.ts'
import type { PackEntry, StoredPack } from '../objects/pack.ts'
import { bytewiseText, count, instant } from './columns.ts'
import type { Queries, Tx } from './database.ts'

export const packs = pgTable('packs', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  /** The pack's name in the blob store. */
  name: bytewiseText('name').notNull().unique(),
  bytes: count('bytes').notNull(),
  createdAt: instant('created_at').notNull(),
})

export const objects = pgTable(
  'objects',
  {
    /** SHA-256 of the object's bytes; for a body, of the leaf it belongs to. */
    hash: bytewiseText('hash').notNull(),
    kind: text('kind', { enum: ['plain', 'body'] }).notNull(),
    packId: integer('pack_id')
      .notNull()
      .references(() => packs.id, { onDelete: 'cascade' }),
    /** Where the encoded bytes lie in the pack. Bytes. */
    offset: count('offset').notNull(),
    length: integer('length').notNull(),
    /** SHA-256 of the decoded bytes where the name does not say it (bodies), null elsewhere. */
    checksum: bytewiseText('checksum'),
  },
  (t) => [
    primaryKey({ columns: [t.hash, t.kind] }),
    index('objects_pack').on(t.packId),
    check('objects_kind', sql`${t.kind} in ('plain', 'body')`),
  ],
)

/** A name of an object: the same hash names a leaf and its body. */
export interface ObjectName {
  kind: ObjectKind
  hash: Hash
}

/** An object's place, and what its bytes must hash to where the name does not say it. */
export interface ObjectPlace extends PackEntry {
  /** The pack's name in the blob store. */
  pack: string
}

/** The name as one string, for maps and sets. */
export const objectKey = ({ kind, hash }: ObjectName): string => (kind === 'body' ? `=${hash}` : hash)

/** The rows of one statement at most: each is one round trip and a few megabytes. */
const statementRowsMax = 10_000

/**
 * Records packs, which must be durable already, and where their objects lie. An object that another commit recorded meanwhile
 * keeps its place. Rows go in one order, so that two commits with objects in common wait for one another but never deadlock.
 */
export async function recordPacks(tx: Tx, packed: { packs: readonly StoredPack[] }): Promise<void> {
  for (const pack of packed.packs) {
    const values = { name: pack.name, bytes: pack.bytes, createdAt: sql`now()` }
    const [row] = await tx.orm.insert(packs).values(values).returning({ id: packs.id })
    const entries = pack.entries.toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))
    for (let i = 0; i < entries.length; i += statementRowsMax) {
      await insertObjects(tx, row!.id, entries.slice(i, i + statementRowsMax))
    }
  }
}

async function insertObjects(tx: Tx, packId: number, entries: readonly PackEntry[]): Promise<void> {
  await tx.query(
    `insert into objects (hash, kind, pack_id, "offset", length, checksum)
     select hash, kind, $1, "offset", length, checksum
     from unnest($2::text[], $3::text[], $4::bigint[], $5::integer[], $6::text[])
       as entry (hash, kind, "offset", length, checksum)
     on conflict (hash, kind) do nothing`,
    [
      packId,
      entries.map((entry) => entry.hash),
      entries.map((entry) => entry.kind),
      entries.map((entry) => entry.offset),
      entries.map((entry) => entry.length),
      entries.map((entry) => entry.checksum),
    ],
  )
}

/** Those of the objects that the index holds, as `objectKey`s. */
export async function storedObjects(at: Queries, names: readonly ObjectName[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const { rows } = await at.query('select hash, kind from objects where hash = any($1::text[])', [
    names.map((name) => name.hash),
  ])
  return new Set((rows as unknown as ObjectName[]).map(objectKey))
}

/** Where objects lie: rows of every kind for each hash, none for those the index does not hold. */
export async function findObjects(at: Queries, hashes: readonly Hash[]): Promise<ObjectPlace[]> {
  const { rows } = await at.query(
    `select o.hash, o.kind, p.name as pack, o."offset", o.length, o.checksum
     from objects o join packs p on p.id = o.pack_id
     where o.hash = any($1::text[])`,
    [hashes],
  )
  return rows.map((row) => ({ ...(row as unknown as ObjectPlace), offset: Number(row.offset) }))
}
