/**
 * Statements of `fsck`: read all recorded packs and files, and rebuild the index from the packs' footers. A rebuild replaces all rows
 * in one transaction, which passes the gate as a sweep: commits wait.
 */
import type { Hash } from '@ulmus/content'
import type { Queries, Tx } from '../../database/database.ts'
import { basesMax, type PackEntry, type StoredPack } from '../../packs/pack.ts'
import { entryColumns, entryRows, objectBytes, passSweepGate, statementRowsMax } from './objects.ts'

/** A pack that the database has recorded. */
export interface RecordedPack {
  id: number
  name: string
  bytes: number
}

/** A pack in the store, and those of its entries whose bytes are damaged. */
export interface FoundPack extends StoredPack {
  damaged: ReadonlySet<PackEntry>
}

/** All recorded packs. Some 150 bytes each. */
export async function allPacks(at: Queries): Promise<RecordedPack[]> {
  const { rows } = await at.query<RecordedPack>('select id, name, bytes from packs order by id')
  return rows
}

/**
 * Rebuilds the index from the packs' footers. For `unreadable` packs, whose footers are damaged, the existing rows are used.
 *
 * Footers still list dead objects, and their chains date from when the deltas were made; so only an entry's nearest base is
 * trusted. The index grows in layers: objects without a base, then deltas to those, and so on. So every object gets its shortest
 * possible chain, all of it in the index. Objects without a chain of at most `basesMax`, which can only be dead ones,
 * are left out. An object with copies in several packs gets one whose bytes and bases are not damaged, if there is one. Packs that
 * were set aside are recorded again.
 * @returns the number of rows in the index, and of objects that were left out.
 */
export async function rebuildIndex(
  tx: Tx,
  packs: AsyncIterable<FoundPack>,
  unreadable: ReadonlySet<string>,
): Promise<{ objects: number; incomplete: number }> {
  await passSweepGate(tx, 'sweep')
  await tx.query('delete from packs where name <> all($1::text[])', [[...unreadable]])
  await tx.query(rowsToEntries)
  let hasDamage = false
  for await (const pack of packs) {
    await addEntries(tx, pack)
    hasDamage ||= pack.damaged.size > 0
  }
  await tx.query('delete from blobs_set_aside a using packs p where a.name = p.name')
  let objects = await grown(tx, 'not e.is_damaged')
  if (hasDamage) objects += await grown(tx, 'true')
  const { rows } = await tx.query<{ incomplete: number }>(
    'select count(distinct (hash, kind)) - $1::bigint as incomplete from entries',
    [objects],
  )
  return { objects, incomplete: rows[0]!.incomplete }
}

/** Every location of every object; `base` is its base there, or null. */
const rowsToEntries = `
  create temporary table entries on commit drop as
    select hash, kind, pack_id, "offset", length, crc, checksum, bases[1] collate "C" as base, false as is_damaged from objects;
  delete from objects`

async function addEntries(tx: Tx, pack: FoundPack): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    'insert into packs (name, bytes, object_bytes, created_at) values ($1, $2, $3, now()) returning id',
    [pack.name, pack.bytes, objectBytes(pack)],
  )
  const damaged = [...pack.damaged].map(({ offset }) => offset)
  for (let i = 0; i < pack.entries.length; i += statementRowsMax) {
    await tx.query(
      `insert into entries
       select hash, kind, $8, "offset", length, crc, checksum, nullif(split_part(bases, ' ', 1), ''), "offset" = any($9::bigint[])
       from ${entryRows}`,
      [...entryColumns(pack.entries.slice(i, i + statementRowsMax)), rows[0]!.id, damaged],
    )
  }
}

/** Adds the objects that the index lacks, layer by layer, from entries for which `condition` holds. Returns their number. */
async function grown(tx: Tx, condition: string): Promise<number> {
  let objects = await inserted(
    tx,
    `select e.*, '{}'::text[] as bases from entries e where base is null and ${condition}`,
  )
  for (let chain = 0; chain < basesMax; chain++)
    objects += await inserted(
      tx,
      `select e.*, array_prepend(e.base, b.bases) as bases from entries e
       join objects b on b.hash = e.base and b.kind = e.kind where cardinality(b.bases) = ${chain} and ${condition}`,
    )
  return objects
}

/** Inserts those of the objects that the index lacks, each once, from the pack recorded first. Returns their number. */
async function inserted(tx: Tx, found: string): Promise<number> {
  // Autovacuum sees neither uncommitted rows nor temporary tables.
  await tx.query('analyze entries; analyze objects')
  const { rows } = await tx.query<{ n: number }>(
    `with inserted as (
       insert into objects (hash, kind, pack_id, "offset", length, crc, checksum, bases)
       select hash, kind, pack_id, "offset", length, crc, checksum, bases from (${found}) as found
       order by hash, kind, pack_id
       on conflict (hash, kind) do nothing returning 1)
     select count(*) as n from inserted`,
    [],
  )
  return rows[0]!.n
}

/** Sizes of those of the files that are recorded. Bytes. */
export async function fileSizes(at: Queries, hashes: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await at.query<SizedFile>('select hash, size from files where hash = any($1::text[])', [
    hashes,
  ])
  return new Map(rows.map(({ hash, size }) => [hash, size]))
}

interface SizedFile {
  hash: Hash
  size: number
}

/** Rows per statement of `allFiles`. */
const pageRows = 1_000

/** All recorded files, ordered by hash. */
export async function* allFiles(at: Queries): AsyncGenerator<SizedFile[]> {
  let after = ''
  for (;;) {
    const { rows }: { rows: SizedFile[] } = await at.query(
      `select hash, size from files where hash > $1 order by hash limit ${pageRows}`,
      [after],
    )
    if (rows.length > 0) yield rows
    if (rows.length < pageRows) return
    after = rows.at(-1)!.hash
  }
}
