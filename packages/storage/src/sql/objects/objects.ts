/**
 * Index of stored objects: hash → (pack, offset, length, chain of bases). It can be rebuilt from the packs' footers. Rows are inserted only
 * behind the sweep gate, and every object in the index has all its bases there (sweeps.ts).
 */

import { type Hash, parseJson } from '@ulmus/content'
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { raised } from '../../database/sql-errors.ts'
import { type ObjectKind, ObjectsSweptError } from '../../errors/stores.ts'
import type { PackEntry, StoredPack } from '../../packs/pack.ts'
import { bytewiseText, count, instant } from '../columns/columns.ts'
import { type DamagedObject, dropDamaged } from './damaged-objects.ts'

/** Recorded packs, each before its objects. A pack without rows of objects is removed by a sweep. */
export const packs = pgTable('packs', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  /** The pack's name in the blob store. */
  name: bytewiseText('name').notNull().unique(),
  bytes: count('bytes').notNull(),
  /** Size of the encoded objects alone: a sweep compares it with the size of the live ones. */
  objectBytes: count('object_bytes').notNull(),
  /** Time of recording, by the database's clock. */
  createdAt: instant('created_at').notNull(),
})

/** Index entries: one row for each object, two for a leaf and its body. */
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
    /** SHA-256 of the decoded bytes for bodies; null for plain objects, whose name is this hash. */
    checksum: bytewiseText('checksum'),
    /** The chain of a delta, nearest base first, all of the same kind; empty for an object without a base (see `PackEntry`). */
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

/** Location of an object, and the hash of its bytes if its name is not that hash. */
export interface ObjectPlace extends PackEntry {
  /** The pack's name in the blob store. */
  pack: string
}

/** The name as one string, for maps and sets. */
export const objectKey = ({ kind, hash }: ObjectName): string => (kind === 'body' ? `=${hash}` : hash)

/** "swep" as a number: the advisory lock. record-pack.sql uses the same number. */
const sweepGate = 0x73_77_65_70

/** Maximum number of rows in one statement: each statement is one round trip and a few megabytes. */
export const statementRowsMax = 10_000

/** An object that a commit did not write because the index had it, or that is a base of the commit's deltas. */
export interface ReliedOn extends ObjectName {
  /** The chain that those deltas build on; undefined if the object only has to exist. */
  bases?: readonly Hash[]
  /** True if the commit's own packs have the object: the chain holds unless another commit recorded it first. */
  isOwn?: boolean
}

/** Objects that a commit has stored, and those that it relies on. */
interface Packed {
  packs: readonly StoredPack[]
  reliedOn: readonly ReliedOn[]
  /** Damaged objects that the packs replace, each without a base. */
  replaced?: readonly DamagedObject[]
}

/**
 * Records packs, which must be durable already, and the locations of their objects. An object that another commit recorded meanwhile keeps
 * its location and is relied on as well, because a sweep may have condemned it by now. Two commits of several packs each can deadlock;
 * `transact` then runs one of them again. Call it before the version is landed: until the transaction ends, no sweep condemns anything (see
 * sweeps.ts).
 * @throws ObjectsSweptError if a sweep has removed an object that is relied on, or another commit recorded an own base with another chain: the
 * commit must be rebuilt.
 */
export async function recordPacks(
  tx: Tx,
  { packs: written, reliedOn, replaced = [] }: Packed,
): Promise<void> {
  await passSweepGate(tx, 'commit')
  try {
    await relyOnAll(
      tx,
      reliedOn.filter(({ isOwn }) => !isOwn),
    )
    await dropDamaged(tx, replaced)
    for (const pack of written) await insertPack(tx, pack)
    await relyOnAll(
      tx,
      reliedOn.filter(({ isOwn }) => isOwn),
    )
  } catch (error) {
    throw sweptIn(error) ?? error
  }
}

/** Records the pack and its objects, passing the gate as a commit. Returns the pack's id. */
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

/** The only pack, if a single statement can record it: few objects, none relied on. */
export const packAlone = ({ packs: written, reliedOn, replaced = [] }: Packed): StoredPack | undefined =>
  written.length === 1 &&
  reliedOn.length + replaced.length === 0 &&
  written[0]!.entries.length <= statementRowsMax
    ? written[0]
    : undefined

/** A call of `record_pack` (record-pack.sql) with the `packColumns` as parameters from `$first` on. */
export const recordPackCall = (first: number): string =>
  `record_pack(${Array.from({ length: 12 }, (_, index) => `$${first + index}`).join()})`

/** Parameters of `record_pack`, with at most as many objects as one statement records. */
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

/** Returns ObjectsSweptError if a function of record-pack.sql raised it. */
export function sweptIn(error: unknown): ObjectsSweptError | undefined {
  const detail = raised(error, 'UL001')?.detail
  return detail === undefined ? undefined : new ObjectsSweptError(parseJson(detail) as ObjectName[])
}

/**
 * Commits pass the gate concurrently; a sweep that condemns passes alone, after all earlier transactions have ended.
 * The gate is held until the transaction ends.
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

/** Entries as rows, made from their `entryColumns` in `$1` to `$7`; `bases` is the chain's hashes separated by spaces. */
export const entryRows = `unnest($1::text[], $2::text[], $3::bigint[], $4::integer[], $5::bigint[], $6::text[], $7::text[])
     as entry (hash, kind, "offset", length, crc, checksum, bases)`

/** Size of a pack's encoded objects, without header and footer. Bytes. */
export const objectBytes = ({ entries }: StoredPack): number =>
  entries.reduce((sum, entry) => sum + entry.length, 0)

/** Parameters for `entryRows`, one array per column. */
export const entryColumns = (entries: readonly PackEntry[]) => [
  entries.map((entry) => entry.hash),
  entries.map((entry) => entry.kind),
  entries.map((entry) => entry.offset),
  entries.map((entry) => entry.length),
  entries.map((entry) => entry.crc),
  entries.map((entry) => entry.checksum),
  entries.map((entry) => entry.bases.join(' ')),
]

/** Those of the objects that the index has, as `objectKey`s. */
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
 * Locations of objects and of their bases: rows of every kind for each hash and for each of its bases, none for objects that
 * the index lacks.
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
