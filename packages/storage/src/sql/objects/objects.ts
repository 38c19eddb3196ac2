/** Locations of stored objects: hash → (pack, offset, length, chain of bases). Rebuildable from the packs' footers. */

import type { Hash } from '@ulmus/content'
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { raised } from '../../database/sql-errors.ts'
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
    /** Start of the encoded bytes in the pack. Bytes. */
    offset: count('offset').notNull(),
    length: integer('length').notNull(),
    /** CRC-32 of the encoded bytes. */
    crc: count('crc').notNull(),
    /** SHA-256 of the decoded bytes where the name does not say it (bodies), null elsewhere. */
    checksum: bytewiseText('checksum'),
    /** The chain of a delta, nearest base first, all of the same kind; empty for an object that stands alone (see `PackEntry`). */
    bases: text('bases').array().notNull().default(sql`'{}'::text[]`),
    /** The sweep that will remove the row unless a commit pardons it (see sweeps.ts); null: none. */
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

/** "swep", as the number of the lock; record-pack.sql has it, too. */
const sweepGate = 0x73_77_65_70

/** The rows of one statement at most: each is one round trip and a few megabytes. */
export const statementRowsMax = 10_000

/** An object that a commit did not write because it was there, or wrote others as deltas to. */
export interface ReliedOn extends ObjectName {
  /** The chain that those deltas build on; undefined if it only has to exist. */
  bases?: readonly Hash[]
}

/** Objects that a commit has stored, and the ones that it builds on. */
interface Packed {
  packs: readonly StoredPack[]
  reliedOn: readonly ReliedOn[]
  /** Damaged objects that the packs replace, each to stand alone. */
  replaced?: readonly DamagedObject[]
}

/**
 * Records packs, which must be durable already, and where their objects lie. An object that another commit recorded meanwhile
 * keeps its place and is relied on, too: a sweep may have condemned it by now. Over several packs two commits can deadlock, and
 * `transact` runs one of them again. Call it before the version is landed: until the transaction ends no sweep condemns anything
 * (see sweeps.ts).
 * @throws ObjectsSwept when a sweep has removed something relied on: the commit must be built again.
 */
export async function recordPacks(
  tx: Tx,
  { packs: written, reliedOn, replaced = [] }: Packed,
): Promise<void> {
  await passSweepGate(tx, 'commit')
  try {
    await relyOnAll(tx, reliedOn)
    await dropDamaged(tx, replaced)
    for (const pack of written) await insertPack(tx, pack)
  } catch (error) {
    throw sweptIn(error) ?? error
  }
}

/** The pack and its objects, passing the gate as a commit. Returns the pack's id. */
export async function insertPack(tx: Tx, pack: StoredPack): Promise<number> {
  const entries = inOrder(pack.entries)
  const { rows } = await tx.query<{ id: number }>(
    `select ${recordPackCall(1)} as id`,
    packColumns({ ...pack, entries }),
    'record_pack',
  )
  const { id } = rows[0]!
  for (let i = statementRowsMax; i < entries.length; i += statementRowsMax) {
    const more = entryColumns(entries.slice(i, i + statementRowsMax))
    await tx.query('select record_objects($1, $2, $3, $4, $5, $6, $7, $8)', [id, ...more], 'record_objects')
  }
  if (entries.length > statementRowsMax)
    await relyOnAll(
      tx,
      entries.map(({ kind, hash }) => ({ kind, hash })),
    )
  return id
}

/** The one pack of what a single statement can record: few objects that rely on nothing. */
export const packAlone = ({ packs: written, reliedOn, replaced = [] }: Packed): StoredPack | undefined =>
  written.length === 1 &&
  reliedOn.length + replaced.length === 0 &&
  written[0]!.entries.length <= statementRowsMax
    ? written[0]
    : undefined

/** A call of `record_pack` (record-pack.sql) with the `packColumns` in `$first` and what follows it. */
export const recordPackCall = (first: number): string =>
  `record_pack(${Array.from({ length: 12 }, (_, index) => `$${first + index}`).join()})`

/** As many of its objects as one statement records. */
export const packColumns = (pack: StoredPack): unknown[] => [
  pack.name,
  pack.bytes,
  objectBytes(pack),
  pack.content ?? null,
  pack.entries.length <= statementRowsMax,
  ...entryColumns(inOrder(pack.entries).slice(0, statementRowsMax)),
]

const inOrder = (entries: readonly PackEntry[]): PackEntry[] =>
  entries.toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))

/** ObjectsSwept when that is what a function of record-pack.sql raised. */
export function sweptIn(error: unknown): ObjectsSwept | undefined {
  const detail = raised(error, 'UL001')?.detail
  return detail === undefined ? undefined : new ObjectsSwept(JSON.parse(detail) as ObjectName[])
}

/**
 * Commits pass the gate side by side; a sweep that condemns passes alone, when the transactions of all that went before have ended.
 * Held to the end of the transaction.
 */
export async function passSweepGate(tx: Tx, who: 'commit' | 'sweep'): Promise<void> {
  const lock = who === 'commit' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await tx.query(`select ${lock}($1::bigint)`, [sweepGate], `gate_of_${who}`)
}

async function relyOnAll(tx: Tx, names: readonly ReliedOn[]): Promise<void> {
  for (let i = 0; i < names.length; i += statementRowsMax)
    await relyOn(tx, names.slice(i, i + statementRowsMax))
}

const relyOn = (tx: Tx, names: readonly ReliedOn[]) =>
  tx.query(
    'select rely_on($1, $2, $3)',
    [
      names.map(({ hash }) => hash),
      names.map(({ kind }) => kind),
      names.map(({ bases }) => bases?.join(' ') ?? null),
    ],
    'rely_on',
  )

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
  const { rows } = await at.query<ObjectName>(
    'select hash, kind from objects where hash = any($1::text[])',
    [hashes],
    'stored_objects',
  )
  return new Set(rows.map(objectKey))
}

/**
 * Where objects lie, and what they are deltas to: rows of every kind for each hash and for each base of those, none for what
 * the index does not hold.
 */
export async function findObjects(at: Queries, hashes: readonly Hash[]): Promise<ObjectPlace[]> {
  const { rows } = await at.query<ObjectPlace>(
    `with asked as (select hash, kind, bases from objects where hash = any($1::text[])),
          wanted as (select hash, kind from asked union select unnest(bases) collate "C", kind from asked)
     select o.hash, o.kind, p.name as pack, o."offset", o.length, o.crc, o.checksum, o.bases
     from wanted join objects o using (hash, kind) join packs p on p.id = o.pack_id`,
    [hashes],
    'find_objects',
  )
  return rows
}
