/** What collections have stored once some of their versions are erased: counted anew, since what they alone had is gone. */
import {
  collectionHoldings,
  encodedBytes,
  type ObjectName,
  type ObjectReader,
  type Queries,
  type VersionToErase,
} from '@ulmus/storage'
import { Marks } from './marks.ts'

/** Names that one statement is asked about. */
const namesAtOnce = 5_000

/**
 * Bytes by which each collection was counted too high, by its id. What an erasure had to store anew may take more than before: nobody is
 * counted more for that. Of a fork what its first version came with counts for the source.
 */
export async function overcounted(
  database: Queries,
  objects: ObjectReader,
  erased: readonly VersionToErase[],
): Promise<Map<string, number>> {
  const gone = new Set(erased.map(({ id }) => id))
  const over = new Map<string, number>()
  for (const id of new Set(erased.map(({ collectionId }) => collectionId))) {
    const held = await collectionHoldings(database, id)
    if (held === undefined) continue
    const standing = held.versions.filter((version) => !gone.has(version.id))
    const inherited = new Marks(database, objects, { mayLack: true })
    if (held.isFork) await inherited.mark(standing.filter(({ isFirst }) => isFirst))
    const all = new Marks(database, objects, { mayLack: true })
    await all.mark(standing)
    const own = await bytesOf(
      database,
      [...all.names()].filter((name) => !inherited.lives(name)),
    )
    over.set(id, Math.max(0, held.storedBytes - held.fileBytes - own))
  }
  return over
}

async function bytesOf(database: Queries, names: readonly ObjectName[]): Promise<number> {
  let bytes = 0
  for (let i = 0; i < names.length; i += namesAtOnce)
    bytes += await encodedBytes(database, names.slice(i, i + namesAtOnce))
  return bytes
}
