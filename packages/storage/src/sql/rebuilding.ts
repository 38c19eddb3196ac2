/** What fsck reads as a whole: packs and files; and the index made anew from the packs' footers. */
import type { Hash } from '@ulmus/content'
import type { StoredPack } from '../objects/pack.ts'
import type { Queries, Tx } from './database.ts'
import { insertPack, passSweepGate } from './objects.ts'

/** Every pack recorded. Some 150 bytes each. */
export async function allPacks(at: Queries): Promise<{ id: number; name: string; bytes: number }[]> {
  const { rows } = await at.query('select id, name, bytes from packs order by id')
  return rows.map((row) => ({
    id: Number(row['id']),
    name: String(row['name']),
    bytes: Number(row['bytes']),
  }))
}

/**
 * Replaces the index by what footers say; `unreadable` packs, whose footers do not, keep the rows they have. Of an object in several
 * packs the one with the shortest chain is taken: its base then has a shorter one, so chains end. Objects whose bases no pack holds,
 * which only dead ones can be, are left out.
 * @returns rows of the index, and how many objects were left out.
 */
export async function rebuildIndex(
  tx: Tx,
  packs: AsyncIterable<StoredPack>,
  unreadable: ReadonlySet<string>,
): Promise<{ objects: number; incomplete: number }> {
  await passSweepGate(tx, 'sweep')
  await tx.query('delete from packs where name <> all($1::text[])', [[...unreadable]])
  for await (const pack of packs) await insertPack(tx, pack, 'shorter')
  await untilNone(() => counted(tx, alignChains))
  const incomplete = await untilNone(() => counted(tx, removeIncomplete))
  const objects = await counted(tx, 'select 1 from objects')
  return { objects, incomplete }
}

/** A chain is the nearest base and then the chain of that, which may be stored otherwise here than where the delta was made. */
const alignChains = `update objects o set bases = array_prepend(o.bases[1], b.bases) from objects b
  where b.hash = o.bases[1] and b.kind = o.kind and o.bases <> array_prepend(o.bases[1], b.bases) returning 1`

const removeIncomplete = `delete from objects o where cardinality(o.bases) > 0
  and not exists (select from objects b where b.hash = o.bases[1] and b.kind = o.kind) returning 1`

async function counted(tx: Tx, statement: string): Promise<number> {
  const isRead = statement.startsWith('select')
  const { rows } = await tx.query(
    isRead
      ? `select count(*)::integer as n from (${statement}) as counted`
      : `with counted as (${statement}) select count(*)::integer as n from counted`,
    [],
  )
  return Number(rows[0]!['n'])
}

/** Does it until it does nothing more; returns how much it did. */
async function untilNone(work: () => Promise<number>): Promise<number> {
  let sum = 0
  for (;;) {
    const done = await work()
    if (done === 0) return sum
    sum += done
  }
}

/** Sizes of those of the files that are recorded. Bytes. */
export async function fileSizes(at: Queries, hashes: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await at.query('select hash, size from files where hash = any($1::text[])', [hashes])
  return new Map(rows.map((row) => [String(row['hash']), Number(row['size'])]))
}

const pageRows = 1_000

/** Every file recorded, by hash. */
export async function* allFiles(at: Queries): AsyncGenerator<{ hash: Hash; size: number }[]> {
  let after = ''
  for (;;) {
    const { rows }: { rows: Record<string, unknown>[] } = await at.query(
      `select hash, size from files where hash > $1 order by hash limit ${pageRows}`,
      [after],
    )
    if (rows.length > 0) yield rows.map((row) => ({ hash: row['hash'] as Hash, size: Number(row['size']) }))
    if (rows.length < pageRows) return
    after = String(rows.at(-1)!['hash'])
  }
}
