/**
 * Sweeping the index: removing rows of objects that no version needs, concurrently with commits that may begin to need them at any moment.
 *
 *     mark ─▶ condemn ─▶ mark what was committed meanwhile, pardon it ─▶ remove what is still condemned
 *
 * A commit skips objects that the index has and makes deltas to them, so it can revive a dead one. In its
 * transaction it passes the gate as a commit, pardons the objects that it relies on and checks that they exist (`recordPacks`,
 * record-pack.sql). Each statement of those functions sees the rows condemned before the gate. An object that the index has when
 * its pack is recorded is relied on in the same way; a metadata update does no look-up before.
 *
 * - A commit whose transaction passed the gate before a row was condemned has ended by then, because the condemning sweep passes
 *   alone: its version is among those marked afterwards, and the row is pardoned.
 * - A commit that passes later finds the row condemned and pardons it; or it finds the row gone and is rebuilt.
 * - A row is removed only while it is still condemned by this very sweep. An object is removed before its bases, so
 *   that every object in the index has all its bases there.
 * - Objects that a version shares with its base are relied on implicitly and need no gate: nearly all objects of a fork are such. The base,
 *   or the source of a fork, exists until the new version does, so one of the two is among the versions marked after condemning.
 *
 * Rows in packs younger than a grace period when the sweep begins, or recorded since, are never condemned, and neither are their bases: such a
 * base may be found dead and become the base of a new row before it is condemned.
 *
 * Sweeps may run concurrently. A row that several condemn belongs to the one with the latest id, and bases are condemned before their
 * deltas. So if a sweep lost a row, it owns none of the row's bases: they stay as long as the row does.
 */
import type { Hash } from '@ulmus/content'
import type { Queries, Tx } from '../../database/database.ts'
import type { PackEntry, StoredPack } from '../../packs/pack.ts'
import { insertPack, type ObjectName, passSweepGate } from './objects.ts'
import { putAside, type SizedBlob } from './set-aside.ts'

/** A row of the index that a sweep examines. */
export interface SweptRow extends ObjectName {
  bases: readonly Hash[]
  packId: number
  /** Size of its encoded bytes. */
  length: number
}

/** Rows per statement of `oldRows`. */
const pageRows = 10_000

/** The moment that many seconds ago by the database's clock, rounded to milliseconds like the times of packs. */
export async function momentAgo(at: Queries, seconds: number): Promise<Date> {
  const { rows } = await at.query<{ moment: Date }>(
    "select date_trunc('milliseconds', now() - make_interval(secs => $1::double precision)) as moment",
    [seconds],
  )
  return rows[0]!.moment
}

/** All rows in packs recorded before `moment`, ordered by name. */
export async function* oldRows(at: Queries, moment: Date): AsyncGenerator<SweptRow[]> {
  let after = { hash: '', kind: '' }
  for (;;) {
    const { rows: page }: { rows: SweptRow[] } = await at.query(
      `select o.hash, o.kind, o.bases, o.pack_id as "packId", o.length from objects o join packs p on p.id = o.pack_id
       where (o.hash, o.kind) > ($1, $2) and p.created_at < $3::timestamptz
       order by o.hash, o.kind limit ${pageRows}`,
      [after.hash, after.kind, moment],
    )
    if (page.length > 0) yield page
    if (page.length < pageRows) return
    after = page.at(-1)!
  }
}

/** Bases of rows in packs recorded since `moment`. */
export async function basesOfYoungRows(at: Queries, moment: Date): Promise<ObjectName[]> {
  const { rows } = await at.query<ObjectName>(
    `select distinct unnest(o.bases) as hash, o.kind from packs p join objects o on o.pack_id = p.id
     where p.created_at >= $1::timestamptz`,
    [moment],
  )
  return rows
}

/**
 * Condemns rows, unless their pack was recorded since `moment` or a sweep with a later id has condemned them.
 * @param sweep A UUID of version 7: later sweeps take over rows that a crashed sweep left condemned.
 */
export async function condemn(
  tx: Tx,
  sweep: string,
  names: readonly ObjectName[],
  moment: Date,
): Promise<void> {
  await passSweepGate(tx, 'sweep')
  await tx.query(
    `update objects o set condemned = $1
     from unnest($2::text[], $3::text[]) as dead (hash, kind), packs p
     where o.hash = dead.hash and o.kind = dead.kind and p.id = o.pack_id
       and p.created_at < $4::timestamptz
       and (o.condemned is null or o.condemned < $1)`,
    [sweep, ...columnsOf(names), moment],
  )
}

/** Pardons rows that this sweep condemned. */
export async function pardon(tx: Tx, sweep: string, names: readonly ObjectName[]): Promise<void> {
  await tx.query(
    `update objects o set condemned = null
     from unnest($2::text[], $3::text[]) as living (hash, kind)
     where o.hash = living.hash and o.kind = living.kind and o.condemned = $1`,
    [sweep, ...columnsOf(names)],
  )
}

/** Removes those of the rows that are still condemned by this sweep. Returns their number. */
export async function removeCondemned(tx: Tx, sweep: string, names: readonly ObjectName[]): Promise<number> {
  const { rows } = await tx.query<{ removed: number }>(
    `with gone as (
       delete from objects o using unnest($2::text[], $3::text[]) as dead (hash, kind)
       where o.hash = dead.hash and o.kind = dead.kind and o.condemned = $1 returning 1)
     select count(*) as removed from gone`,
    [sweep, ...columnsOf(names)],
  )
  return rows[0]!.removed
}

const columnsOf = (names: readonly ObjectName[]) => [
  names.map((name) => name.hash),
  names.map((name) => name.kind),
]

/**
 * Removes the records of packs that have no rows and were recorded more than `graceSeconds` ago, and sets their blobs aside. Inline packs
 * vanish at once, since their bytes are in the database. Returns the packs set aside, and the number of removed records.
 */
export async function forgetEmptyPacks(
  tx: Tx,
  graceSeconds: number,
): Promise<{ aside: SizedBlob[]; forgotten: number }> {
  const { rows } = await tx.query<SizedBlob & { inline: boolean }>(
    `with gone as (
       delete from packs p
       where p.created_at <= now() - make_interval(secs => $1::double precision)
         and not exists (select from objects o where o.pack_id = p.id)
       returning p.name, p.bytes),
     cleared as (delete from inline_packs i using gone where i.name = gone.name returning i.name)
     select name, bytes, name in (select name from cleared) as inline from gone`,
    [graceSeconds],
  )
  const aside = await putAside(
    tx,
    rows.filter(({ inline }) => !inline),
  )
  return { aside, forgotten: rows.length }
}

/** Use of a pack: a sweep copies the live objects of a sparse one and drops the rest. */
export interface PackUse {
  id: number
  bytes: number
  /** Size of all objects written to the pack. */
  objectBytes: number
  /** Size of those that the index still lists in it. */
  livingBytes: number
}

/** Packs with a blob recorded more than `graceSeconds` ago, and their use. Some 100 bytes each. */
export async function oldPacks(at: Queries, graceSeconds: number): Promise<PackUse[]> {
  const { rows } = await at.query<PackUse>(
    `select p.id, p.bytes, p.object_bytes as "objectBytes", coalesce(sum(o.length), 0) as "livingBytes"
     from packs p left join objects o on o.pack_id = p.id
     where p.created_at <= now() - make_interval(secs => $1::double precision)
       and not exists (select from inline_packs i where i.name = p.name)
     group by p.id`,
    [graceSeconds],
  )
  return rows
}

/** A pack to copy. */
export interface WornPack {
  id: number
  name: string
  bytes: number
}

/** Packs recorded more than `graceSeconds` ago of whose bytes the index lists less than half. */
export async function wornPacks(at: Queries, graceSeconds: number): Promise<WornPack[]> {
  const { rows } = await at.query<WornPack>(
    `select p.id, p.name, p.bytes from packs p join objects o on o.pack_id = p.id
     where p.created_at <= now() - make_interval(secs => $1::double precision)
     group by p.id having sum(o.length) * 2 < p.object_bytes order by p.id`,
    [graceSeconds],
  )
  return rows
}

/** Rows of a pack, ordered by offset. */
export async function rowsOfPack(at: Queries, packId: number): Promise<PackEntry[]> {
  const { rows } = await at.query<PackEntry>(
    `select hash, kind, "offset", length, crc, checksum, bases from objects where pack_id = $1 order by "offset"`,
    [packId],
  )
  return rows
}

/** Records a pack with copies of the remaining objects of other packs, and redirects the rows. Returns the number of rows. */
export async function moveRows(tx: Tx, copy: StoredPack, from: readonly number[]): Promise<number> {
  const id = await insertPack(tx, { ...copy, entries: [] })
  const { rows } = await tx.query<{ moved: number }>(
    `with moved as (
       update objects o set pack_id = $1, "offset" = entry."offset"
       from unnest($2::text[], $3::text[], $4::bigint[]) as entry (hash, kind, "offset")
       where o.hash = entry.hash and o.kind = entry.kind and o.pack_id = any($5::integer[]) returning o.length),
     counted as (
       update packs set object_bytes = (select coalesce(sum(length), 0) from moved) where id = $1)
     select count(*) as moved from moved`,
    [id, ...columnsOf(copy.entries), copy.entries.map((entry) => entry.offset), from],
  )
  return rows[0]!.moved
}

/** Those of the names that belong to recorded packs. */
export async function recordedPacks(at: Queries, names: readonly string[]): Promise<Set<string>> {
  const { rows } = await at.query<{ name: string }>('select name from packs where name = any($1::text[])', [
    names,
  ])
  return new Set(rows.map(({ name }) => name))
}

/** Those of the hashes that belong to recorded files. */
export async function recordedFiles(at: Queries, hashes: readonly string[]): Promise<Set<string>> {
  const { rows } = await at.query<{ hash: string }>('select hash from files where hash = any($1::text[])', [
    hashes,
  ])
  return new Set(rows.map(({ hash }) => hash))
}

/** Push sessions that may still need their stored data, and the start of the oldest one in a commit or dry run. */
export async function livePushes(at: Queries): Promise<{ ids: Set<string>; oldestCommit: Date | undefined }> {
  const { rows } = await at.query<{ id: string; status: string; created: Date }>(
    `select id, status, created_at as created from pushes where status in ('open', 'checking', 'committing')`,
  )
  const writing = rows.filter(({ status }) => status !== 'open').map(({ created }) => created.getTime())
  return {
    ids: new Set(rows.map(({ id }) => id)),
    oldestCommit: writing.length === 0 ? undefined : new Date(Math.min(...writing)),
  }
}

/** Objects from which a sweep marks everything that a version needs. */
export interface VersionRoots {
  id: string
  fullDigest: Hash
  publicDigest: Hash
  sidecar: Hash
}

/**
 * All versions that are not to be erased, in one snapshot: between two partial reads, a fork could appear and its source disappear, and
 * neither would be read. Some 400 bytes each.
 */
export async function allVersionRoots(at: Queries): Promise<VersionRoots[]> {
  const { rows } = await at.query<VersionRoots>(
    'select id, full_digest as "fullDigest", public_digest as "publicDigest", sidecar from versions where erasure is null',
  )
  return rows
}
