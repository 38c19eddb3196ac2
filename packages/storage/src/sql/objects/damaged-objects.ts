/** Repair of damaged objects: if a push brings an intact copy, the writer stores it in a new pack, and the transaction replaces the row. */
import type { Hash } from '@ulmus/content'
import type { Tx } from '../../database/database.ts'
import type { ObjectKind } from '../../errors/stores.ts'

/** Maximum number of rows in one statement. */
const rowsMax = 10_000

/** An object whose stored bytes are damaged, and the pack that the index lists for it. */
export interface DamagedObject {
  kind: ObjectKind
  hash: Hash
  pack: string
}

/**
 * Removes the rows of damaged objects, which this transaction then inserts again; keeps rows that were replaced or moved meanwhile. A
 * delta to such an object still works: chains are read link by link, and the new location has the same bytes.
 */
export async function dropDamaged(tx: Tx, damaged: readonly DamagedObject[]): Promise<void> {
  for (let i = 0; i < damaged.length; i += rowsMax) {
    const some = damaged.slice(i, i + rowsMax)
    await tx.query(
      `delete from objects o using packs p, unnest($1::text[], $2::text[], $3::text[]) as damaged (hash, kind, pack)
       where o.hash = damaged.hash and o.kind = damaged.kind and o.pack_id = p.id and p.name = damaged.pack`,
      [some.map(({ hash }) => hash), some.map(({ kind }) => kind), some.map(({ pack }) => pack)],
    )
  }
}
