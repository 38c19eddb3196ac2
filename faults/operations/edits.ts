/** Generates random changes of a version's content. */
import type { Json, JsonObject } from '@ulmus/content'
import { type Content, emptyContent, keyOf, mergeMetadata, splitKey } from '../model.ts'
import type { Turn } from '../turn.ts'

/** Content of a push. */
export interface Edit {
  readonly puts: ReadonlyMap<string, Json>
  readonly deletes: ReadonlySet<string>
  readonly metadata: JsonObject
  /** Texts by hash, declared in the push. */
  readonly files: ReadonlyMap<string, string>
}

/** Maximum number of records in a collection. */
const recordsMax = 6_000
/** Numbers of records changed by a push: mostly small, sometimes so large that a fault may interrupt the commit. */
const sizes = [
  { weight: 60, min: 1, max: 40 },
  { weight: 30, min: 100, max: 1_000 },
  { weight: 10, min: 2_000, max: 5_000 },
]
const textLengthMax = 300

/** @param uploads files of the collection; the edit may declare one of them */
export function makeEdit(turn: Turn, before: Content, uploads: ReadonlyMap<string, string>): Edit {
  const { random } = turn
  const number = turn.newNumber()
  const { min, max } = random.weighted(sizes)
  const count = random.between(min, max)
  const first = random.between(0, recordsMax - 1)
  const filler = 'x'.repeat(random.between(0, textLengthMax))
  const puts = new Map<string, Json>()
  for (let index = 0; index < count; index++) {
    const id = `r${(first + index * 7) % recordsMax}`
    if (index % 5 === 4) puts.set(keyOf('B', id), { n: number })
    else puts.set(keyOf('A', id), { n: number, text: `${id} ${filler}` })
  }
  const deletes = new Set<string>()
  const share = random.chance(0.3) ? 0.05 : 0
  if (share > 0)
    for (const key of before.records.keys()) if (!puts.has(key) && random.chance(share)) deletes.add(key)
  const declared = uploads.size > 0 && random.chance(0.3) ? [random.pick([...uploads])] : []
  return { puts, deletes, metadata: random.chance(0.3) ? { pushed: number } : {}, files: new Map(declared) }
}

/** Result of an edit on a version. Declared files are kept, in deltas and in snapshots of `wholeOf`. */
export function applyEdit(before: Content | undefined, { puts, deletes, metadata, files }: Edit): Content {
  const { records: old, metadata: oldMetadata, files: oldFiles } = before ?? emptyContent
  const records = new Map(old)
  for (const key of deletes) records.delete(key)
  for (const [key, data] of puts) records.set(key, data)
  return {
    records,
    metadata: mergeMetadata(oldMetadata, metadata),
    files: new Map([...oldFiles, ...files]),
  }
}

/** A line of a batch. */
export function lineOf([key, data]: readonly [string, Json]) {
  const [type, id] = splitKey(key)
  return { id, type, data }
}

export function deleteLineOf(key: string) {
  const [type, id] = splitKey(key)
  return { id, type }
}
