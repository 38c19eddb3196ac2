/** Where objects lie, from the database: what was asked lately is remembered, what is asked at once is one statement. */
import type { Hash } from '@ulmus/content'
import { LRUCache } from 'lru-cache'
import type { Database } from '../sql/database.ts'
import { findObjects, type ObjectPlace, objectKey } from '../sql/objects.ts'
import { refuseInsideTransaction } from '../sql/transaction-scope.ts'
import { type ObjectKind, ObjectMissing } from './errors.ts'

export interface ObjectIndex {
  /**
   * The object's place, and whether it was remembered rather than looked up now.
   * @throws ObjectMissing when the index does not hold it. That is not remembered: it may be stored any moment.
   */
  find(kind: ObjectKind, hash: Hash): Promise<{ place: ObjectPlace; remembered: boolean }>
  forget(kind: ObjectKind, hash: Hash): void
  bytes(): number
}

/** A remembered place: its hashes, the pack's name, the map's own. Bytes, about. */
const placeBytes = 512
/** Hashes in one statement at most. */
const hashesMax = 1_000

interface Waiting {
  kind: ObjectKind
  hash: Hash
  resolve(place: ObjectPlace | undefined): void
  reject(error: unknown): void
}

/** @param options.bytesMax For remembered places. Bytes. */
export function openObjectIndex(options: { database: Database; bytesMax: number }): ObjectIndex {
  const max = Math.max(1, Math.floor(options.bytesMax / placeBytes))
  const places = new LRUCache<string, ObjectPlace>({ max })
  let waiting: Waiting[] = []

  async function lookUp(asked: Waiting[]): Promise<void> {
    try {
      const found = await findObjects(options.database, [...new Set(asked.map((one) => one.hash))])
      for (const place of found) places.set(objectKey(place), place)
      const byKey = new Map(found.map((place) => [objectKey(place), place]))
      for (const one of asked) one.resolve(byKey.get(objectKey(one)))
    } catch (error) {
      for (const one of asked) one.reject(error)
    }
  }

  /** Everything asked in one turn of the event loop, in one statement, or a few. */
  function lookUpSoon(one: Waiting): void {
    waiting.push(one)
    if (waiting.length > 1) return
    setImmediate(() => {
      const asked = waiting
      waiting = []
      for (let i = 0; i < asked.length; i += hashesMax) void lookUp(asked.slice(i, i + hashesMax))
    })
  }

  return {
    async find(kind, hash) {
      const known = places.get(objectKey({ kind, hash }))
      if (known !== undefined) return { place: known, remembered: true }
      // Here, not where the statement runs: it may run for others too, who are in no transaction.
      refuseInsideTransaction()
      const place = await new Promise<ObjectPlace | undefined>((resolve, reject) =>
        lookUpSoon({ kind, hash, resolve, reject }),
      )
      if (place === undefined) throw new ObjectMissing(kind, hash)
      return { place, remembered: false }
    },
    forget: (kind, hash) => void places.delete(objectKey({ kind, hash })),
    bytes: () => places.size * placeBytes,
  }
}
