/** Objects stored damaged: a writer with intact copies stores them in another place. */
import type { Hash } from '@ulmus/content'
import type { Tx } from '../../database/database.ts'
import type { ObjectKind } from '../../errors/stores.ts'

/** The rows of one statement at most. */
const rowsMax = 10_000

/** An object that is not as it was stored, and the pack that the index has it in. */
export interface DamagedObject {
  kind: ObjectKind
  hash: Hash
  pack: string
}

/**
 * Removes the rows of damaged objects, which this transaction inserts anew; keeps rows that were replaced or moved meanwhile. A delta
 * to one finds the same bytes in the new place: chains are read link by link.
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
