/** Where each stored object lies: hash → (pack, offset, length, chain of bases). Rebuildable from the packs' footers. */

import type { Hash } from '@ulmus/content'
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { type ObjectKind, ObjectsSwept } from '../../errors/stores.ts'
import type { PackEntry, StoredPack } from '../../packs/pack.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'
import { type DamagedObject, dropDamaged } from './damaged-objects.ts'

export const packs = pgTable('packs', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  /** The pack's name in the blob store. */
  name: bytewiseText('name').notNull().unique(),
  bytes: count('bytes').notNull(),
  /** Of the encoded objects alone: what a sweep holds against those that live. */
  objectBytes: count('object_bytes').notNull(),
  /** When it was recorded, by the database's clock. */
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
    /** CRC-32 of the encoded bytes. */
    crc: count('crc').notNull(),
    /** SHA-256 of the decoded bytes where the name does not say it (bodies), null elsewhere. */
    checksum: bytewiseText('checksum'),
    /** The chain of a delta, nearest base first, all of the same kind; empty for what stands alone (see `PackEntry`). */
    bases: text('bases').array().notNull().default(sql`'{}'::text[]`),
    /** The sweep that is about to remove the row unless somebody pardons it (see sweeps.ts); null: none. */
    condemned: uuid('condemned'),
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

/** "swep", as the number of the lock. */
const sweepGate = 0x73_77_65_70

/** The rows of one statement at most: each is one round trip and a few megabytes. */
export const statementRowsMax = 10_000

/** An object that a commit did not write because it was there, or wrote others as deltas to. */
export interface ReliedOn extends ObjectName {
  /** The chain that those deltas go on from; undefined when it only has to be there. */
  bases?: readonly Hash[]
}

/** The foreign key of `objects` to `packs`. */
export const objectsPackKey = 'objects_pack_id_packs_id_fk'

/** What a commit has stored and what it goes on from. */
interface Packed {
  packs: readonly StoredPack[]
  reliedOn: readonly ReliedOn[]
  /** What the packs have anew, each to stand alone, in place of what is damaged. */
  replaced?: readonly DamagedObject[]
}

/**
 * Records packs, which must be durable already, and where their objects lie. An object that another commit recorded meanwhile
 * keeps its place and is relied on, too: a sweep may have condemned it by now. The rows of a pack go in one order, so that two
 * commits with objects in common wait for one another; over several packs they can deadlock, and `transact` runs one of them again.
 * Call it before the version's row is inserted: until the transaction ends no sweep condemns anything (see sweeps.ts).
 * @throws ObjectsSwept when a sweep has removed something relied on: the commit must be built again.
 */
export async function recordPacks(
  tx: Tx,
  { packs: written, reliedOn, replaced = [] }: Packed,
): Promise<void> {
  // What is relied on must be looked at after the gate, by statements that see what sweeps did before it.
  if (reliedOn.length > 0 || replaced.length > 0 || written.length === 0) await passSweepGate(tx, 'commit')
  await demandAll(tx, reliedOn)
  await dropDamaged(tx, replaced)
  for (const pack of written) {
    const { recorded } = await insertPack(tx, pack)
    if (recorded < pack.entries.length) {
      await demandAll(
        tx,
        pack.entries.map(({ kind, hash }) => ({ kind, hash })),
      )
    }
  }
}

/**
 * Records one pack, passing the gate as a commit. An object that the index holds already keeps its place.
 * @returns the pack's id, and of how many of its objects the index lacked a row.
 */
export async function insertPack(tx: Tx, pack: StoredPack): Promise<{ id: number; recorded: number }> {
  const entries = inOrder(pack.entries)
  const { rows } = await tx.query(
    `with ${gatePassed}, ${packInserted({ when: 'gate', pack: 'pack', conflict: keepsPlace })}
     select id, (select count(*)::integer from stored) as recorded from pack`,
    packColumns(pack, entries.slice(0, statementRowsMax)),
    'insert_pack',
  )
  const id = Number(rows[0]!['id'])
  let recorded = Number(rows[0]!['recorded'])
  for (let i = statementRowsMax; i < entries.length; i += statementRowsMax) {
    const more = entryColumns(entries.slice(i, i + statementRowsMax))
    const insert = insertObjects('(select $8::integer as id) as pack', keepsPlace)
    const stored = await tx.query(
      `with stored as (${insert}) select count(*)::integer as recorded from stored`,
      [...more, id],
    )
    recorded += Number(stored.rows[0]!['recorded'])
  }
  return { id, recorded }
}

/** Whether a single statement can record all of it: one pack, of few objects, that relies on nothing. */
export const isOneStatement = ({ packs: written, reliedOn, replaced = [] }: Packed): boolean =>
  written.length === 1 &&
  reliedOn.length === 0 &&
  replaced.length === 0 &&
  written[0]!.entries.length <= statementRowsMax

/** Part of a statement, named `gate`: see `passSweepGate`. */
export const gatePassed = `gate as materialized (select pg_advisory_xact_lock_shared(${sweepGate}))`

/**
 * Parts of a statement, named `pack`, `inlined` and `stored`: a pack, its content if it is inline, and where its objects lie, from
 * their `packColumns` in `$1` to `$11`.
 * @param parts.when what has a row if the pack is to be recorded
 * @param parts.pack a relation of that name whose row has the `id` of the pack in which new objects lie
 * @param parts.conflict what becomes of an object that the index holds
 */
export const packInserted = (parts: { when: string; pack: string; conflict: string }): string =>
  `pack as (
     insert into packs (name, bytes, object_bytes, created_at)
     select $8::text, $9::bigint, $10::bigint, now() from ${parts.when} returning id),
   inlined as (insert into inline_packs (name, content) select $8::text, $11::bytea from pack where $11::bytea is not null),
   stored as (${insertObjects(parts.pack, parts.conflict)})`

/** @param entries Those of the pack that the statement is to record, `inOrder`. */
export const packColumns = (pack: StoredPack, entries: readonly PackEntry[]): unknown[] => [
  ...entryColumns(entries),
  pack.name,
  pack.bytes,
  objectBytes(pack),
  pack.content ?? null,
]

export const inOrder = (entries: readonly PackEntry[]): PackEntry[] =>
  entries.toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))

/**
 * Commits pass the gate side by side; a sweep that condemns passes alone, when the transactions of all that went before have ended.
 * Held to the end of the transaction.
 */
export async function passSweepGate(tx: Tx, who: 'commit' | 'sweep'): Promise<void> {
  const lock = who === 'commit' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await tx.query(`select ${lock}($1::bigint)`, [sweepGate], `gate_of_${who}`)
}

/** @throws ObjectsSwept naming those of the objects that cannot be relied on. */
async function demandAll(tx: Tx, names: readonly ReliedOn[]): Promise<void> {
  const swept: ObjectName[] = []
  for (let i = 0; i < names.length; i += statementRowsMax) {
    swept.push(...(await relyOn(tx, names.slice(i, i + statementRowsMax))))
  }
  if (swept.length > 0) throw new ObjectsSwept(swept)
}

/**
 * Pardons what is condemned of these objects and their bases. Returns those that are not there as they were relied on, or lack a base.
 */
async function relyOn(tx: Tx, names: readonly ReliedOn[]): Promise<ObjectName[]> {
  const hashes = [names.map((name) => name.hash)]
  await tx.query(
    `with relied as (select hash, kind, bases from objects where hash = any($1::text[])),
          wanted as (select hash, kind from relied union select unnest(bases) collate "C", kind from relied)
     update objects o set condemned = null from wanted
     where o.hash = wanted.hash and o.kind = wanted.kind and o.condemned is not null`,
    hashes,
    'pardon_relied_on',
  )
  const { rows } = await tx.query(
    `select hash, kind, bases from objects o where hash = any($1::text[]) and not exists (
       select from unnest(o.bases) as chain (base) where not exists (
         select from objects b where b.hash = chain.base collate "C" and b.kind = o.kind))`,
    hashes,
    'find_relied_on',
  )
  const there = new Map((rows as unknown as Required<ReliedOn>[]).map((row) => [objectKey(row), row.bases]))
  return names.filter((name) => {
    const bases = there.get(objectKey(name))
    return bases === undefined || (name.bases !== undefined && name.bases.join() !== bases.join())
  })
}

/** An object that the index holds keeps its place. */
const keepsPlace = 'on conflict (hash, kind) do nothing'

/**
 * Has a row for each object that is inserted.
 * @param pack a relation of that name whose row has the pack's `id`; `$1` to `$7` are the `entryColumns`
 */
function insertObjects(pack: string, conflict: string): string {
  return `insert into objects (hash, kind, pack_id, "offset", length, crc, checksum, bases)
   select hash, kind, pack.id, "offset", length, crc, checksum, string_to_array(bases, ' ')
   from ${pack}, ${entryRows}
   ${conflict} returning 1`
}

/** Entries as rows, made from their `entryColumns` in `$1` to `$7`; `bases` is the chain's hashes with spaces between them. */
export const entryRows = `unnest($1::text[], $2::text[], $3::bigint[], $4::integer[], $5::bigint[], $6::text[], $7::text[])
     as entry (hash, kind, "offset", length, crc, checksum, bases)`

export const objectBytes = ({ entries }: StoredPack): number =>
  entries.reduce((sum, entry) => sum + entry.length, 0)

export const entryColumns = (entries: readonly PackEntry[]) => [
  entries.map((entry) => entry.hash),
  entries.map((entry) => entry.kind),
  entries.map((entry) => entry.offset),
  entries.map((entry) => entry.length),
  entries.map((entry) => entry.crc),
  entries.map((entry) => entry.checksum),
  entries.map((entry) => entry.bases.join(' ')),
]

/** Those of the objects that the index holds, as `objectKey`s. */
export async function storedObjects(at: Queries, names: readonly ObjectName[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const hashes = names.map((name) => name.hash)
  const { rows } = await at.query(
    'select hash, kind from objects where hash = any($1::text[])',
    [hashes],
    'stored_objects',
  )
  return new Set((rows as unknown as ObjectName[]).map(objectKey))
}

/**
 * Where objects lie, and what they are deltas to: rows of every kind for each hash and for each base of those, none for what
 * the index does not hold.
 */
export async function findObjects(at: Queries, hashes: readonly Hash[]): Promise<ObjectPlace[]> {
  const { rows } = await at.query(
    `with asked as (select hash, kind, bases from objects where hash = any($1::text[])),
          wanted as (select hash, kind from asked union select unnest(bases) collate "C", kind from asked)
     select o.hash, o.kind, p.name as pack, o."offset", o.length, o.crc, o.checksum, o.bases
     from wanted join objects o using (hash, kind) join packs p on p.id = o.pack_id`,
    [hashes],
    'find_objects',
  )
  return rows.map(placeOf)
}

const placeOf = (row: Record<string, unknown>): ObjectPlace => ({
  ...(row as unknown as ObjectPlace),
  offset: Number(row.offset),
  crc: Number(row.crc),
})
