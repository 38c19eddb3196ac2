/** Records of a type after a push: the pushed ones, and those carried over from the base. */

import { compareUtf8, type Hash, leafLines, type Tree, walkLeaves } from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { canonicalOf } from '../../stored-leaves/canonical-forms.ts'
import type { PushEntry } from '../spills/entries.ts'

/** A record of the base, unchanged by the push. */
export interface CarriedRecord {
  id: string
  hash: Hash
  canonical: Uint8Array
}

/** An entry of the push, or a record of the base that the push does not name. */
export type ResultingRecord = { entry: PushEntry } | { carried: CarriedRecord }

/**
 * While merging a leaf, yield a batch once it reaches this size: canonical forms plus an overhead per record. Batches also end with each
 * leaf. Entries after the last base record keep the batches of the push. Bytes.
 */
const flushBytes = 1_048_576
/** Overhead counted for each record. Bytes. */
const recordOverheadBytes = 256

/**
 * Merges the entries of the push, deletions included, with the untouched records of the base, in id order and in batches. Reads every
 * record of `base`, so use it only for schema changes.
 */
export async function* resultingRecords(
  objects: ObjectReader,
  base: Tree,
  entries: AsyncGenerator<PushEntry[]>,
): AsyncGenerator<ResultingRecord[]> {
  let batch: PushEntry[] = []
  let at = 0
  const current = async (): Promise<PushEntry | undefined> => {
    while (at >= batch.length) {
      const next = await entries.next()
      if (next.done) return undefined
      batch = next.value
      at = 0
    }
    return batch[at]
  }
  for await (const { hash: leafHash, leaf } of walkLeaves(base, objects)) {
    let records: ResultingRecord[] = []
    let bytes = 0
    for (const [index, line] of leafLines(await objects.body(leafHash)).entries()) {
      const id = leaf.keys[index]!
      let entry = at < batch.length ? batch[at] : await current()
      while (entry !== undefined && compareUtf8(entry.id, id) < 0) {
        records.push({ entry })
        bytes += (entry.put?.canonical.length ?? 0) + recordOverheadBytes
        at++
        if (bytes >= flushBytes) {
          yield records
          records = []
          bytes = 0
        }
        entry = at < batch.length ? batch[at] : await current()
      }
      if (entry?.id === id) continue
      const canonical = await canonicalOf(objects, line)
      records.push({ carried: { id, hash: leaf.hashes[index]!, canonical } })
      bytes += canonical.length + recordOverheadBytes
      if (bytes < flushBytes) continue
      yield records
      records = []
      bytes = 0
    }
    if (records.length > 0) yield records
  }
  for (let entry = await current(); entry !== undefined; entry = await current()) {
    yield batch.slice(at).map((rest) => ({ entry: rest }))
    at = batch.length
  }
}
