/** Index of object locations in the database: caches recent answers and batches concurrent requests into one statement. */
import type { Hash } from '@ulmus/content'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/database.ts'
import { refuseInsideTransaction } from '../database/transaction-scope.ts'
import { ObjectCorruptError, type ObjectKind, ObjectMissingError } from '../errors/stores.ts'
import { basesMax } from '../packs/pack.ts'
import { findObjects, type ObjectPlace, objectKey } from '../sql/objects/objects.ts'

/** The index of one process. Cached locations may be outdated, since sweeps move and remove objects: on a failed read call `forget`. */
export interface ObjectIndex {
  /**
   * Locations of the object and its bases, in the order of the chain.
   * @throws ObjectMissingError if the index lacks the object; this is not cached, since it may be stored at any moment.
   * ObjectCorruptError if the index has the object but lacks one of its bases.
   */
  find(kind: ObjectKind, hash: Hash): Promise<ObjectPlace[]>
  /** Caches the locations of those leaves and bodies that the index has. */
  prefetch(leaves: readonly Hash[]): Promise<void>
  /**
   * Evicts the object and its chain: later requests read the database, and answers to pending ones are not cached.
   */
  forget(kind: ObjectKind, hash: Hash): void
  bytes(): number
}

/** Approximate size of a cached location: its hashes, the pack's name, the map entry. Bytes. */
const placeBytes = 512
/** Approximate size of each of its bases. Bytes. */
const baseBytes = 96
/** Maximum number of hashes in one statement. */
const hashesMax = 1_000

interface Waiting {
  hash: Hash
  resolve(places: ReadonlyMap<string, ObjectPlace>): void
  reject(error: unknown): void
}

/** @param options.bytesMax Maximum size of cached locations. Bytes. */
export function openObjectIndex(options: { database: Database; bytesMax: number }): ObjectIndex {
  const places = new LRUCache<string, ObjectPlace>({
    maxSize: Math.max(placeBytes, Math.floor(options.bytesMax)),
    sizeCalculation: (place) => placeBytes + baseBytes * place.bases.length,
  })
  let waiting: Waiting[] = []
  let timesForgot = 0

  async function lookUp(asked: Waiting[]): Promise<void> {
    const timesBefore = timesForgot
    try {
      const found = await findObjects(options.database, [...new Set(asked.map((one) => one.hash))])
      if (timesForgot === timesBefore) for (const place of found) places.set(objectKey(place), place)
      const byKey = new Map(found.map((place) => [objectKey(place), place]))
      for (const one of asked) one.resolve(byKey)
    } catch (error) {
      for (const one of asked) one.reject(error)
    }
  }

  /** Batches all requests of one turn of the event loop into one statement, or a few. */
  function lookUpSoon(hash: Hash): Promise<ReadonlyMap<string, ObjectPlace>> {
    return new Promise((resolve, reject) => {
      waiting.push({ hash, resolve, reject })
      if (waiting.length > 1) return
      setImmediate(() => {
        const asked = waiting
        waiting = []
        for (let i = 0; i < asked.length; i += hashesMax) void lookUp(asked.slice(i, i + hashesMax))
      })
    })
  }

  return {
    async find(kind, hash) {
      const known = chainIn(places, kind, hash)
      if ('chain' in known) return known.chain
      // Checked here, because the batched statement may also run for callers outside of transactions.
      refuseInsideTransaction()
      const found = new Map(await lookUpSoon(hash))
      let looked = chainIn(found, kind, hash)
      // A base that was stored again since may have other bases than the object's row says.
      for (
        let asked = hash;
        !('chain' in looked) && looked.missing !== asked;
        looked = chainIn(found, kind, hash)
      ) {
        asked = looked.missing
        for (const [key, place] of await lookUpSoon(asked)) found.set(key, place)
      }
      if ('chain' in looked) return looked.chain
      const missing = new ObjectMissingError(kind, looked.missing)
      const place = found.get(objectKey({ kind, hash }))
      throw place === undefined ? missing : new ObjectCorruptError(kind, hash, place.pack, { cause: missing })
    },
    async prefetch(leaves) {
      // One row has the locations of both the leaf and its body.
      const unknown = leaves.filter((hash) => !('chain' in chainIn(places, 'body', hash)))
      if (unknown.length === 0) return
      refuseInsideTransaction()
      await Promise.all(unknown.map(lookUpSoon))
    },
    forget(kind, hash) {
      timesForgot++
      for (let next: Hash | undefined = hash; next !== undefined; ) {
        const key = objectKey({ kind, hash: next })
        next = places.peek(key)?.bases[0]
        places.delete(key)
      }
    },
    bytes: () => places.calculatedSize,
  }
}

/**
 * Locations of an object and its bases, or the first that is missing. Follows each link's own base: cached locations may differ in
 * age, so an older one may list outdated bases if a base was swept and stored again.
 */
function chainIn(
  places: Pick<ReadonlyMap<string, ObjectPlace>, 'get'>,
  kind: ObjectKind,
  hash: Hash,
): { chain: ObjectPlace[] } | { missing: Hash } {
  const chain: ObjectPlace[] = []
  for (let next: Hash | undefined = hash; next !== undefined; next = chain.at(-1)!.bases[0]) {
    const place = places.get(objectKey({ kind, hash: next }))
    if (place === undefined) return { missing: next }
    chain.push(place)
    // Locations of different ages could form a chain longer than any stored one.
    if (chain.length > basesMax + 1) return { missing: hash }
  }
  return { chain }
}
