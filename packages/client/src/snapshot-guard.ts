/** Guard of snapshots: a source that lost its rows must not remove most of a type. */
import type { RecordToPut } from './batches.ts'
import { readVersion } from './collections.ts'
import { manifestPages } from './differences.ts'
import type { CollectionRef } from './places.ts'
import { allowedRemovals, demandFewRemovals, type MaxRemoved, maxRemovedUsual } from './removals.ts'
import type { Transport } from './transport.ts'

type Records = Iterable<RecordToPut> | AsyncIterable<RecordToPut>

/** Passes records on and counts them by type. */
export async function* countedByType(
  records: Records,
  counts: Map<string, number>,
): AsyncGenerator<RecordToPut> {
  for await (const record of records) {
    counts.set(record.type, (counts.get(record.type) ?? 0) + 1)
    yield record
  }
}

/** A snapshot whose manifest the registry has compared. */
export interface GuardedSnapshot {
  readonly transport: Transport
  readonly ref: CollectionRef
  readonly what: {
    readonly baseVersion: string | null
    readonly maxRemoved?: MaxRemoved
    readonly records: () => Records
  }
  readonly options: { readonly signal?: AbortSignal }
  readonly counts: ReadonlyMap<string, number>
  /** `type` U+0000 `id` of the records that the base version lacks. */
  readonly needed: ReadonlySet<string>
}

/**
 * For most snapshots counts suffice: records that the registry does not need are in the base version. The base version is listed only if so
 * many records changed that the counts cannot decide. @throws UlmusError `too_many_removed`
 */
export async function guardSnapshot(snapshot: GuardedSnapshot): Promise<void> {
  const { transport, ref, what, options, counts, needed } = snapshot
  const { baseVersion, maxRemoved = maxRemovedUsual } = what
  if (baseVersion === null) return
  const { typeCounts } = await readVersion(transport, ref, baseVersion, options.signal)
  const lacking = new Map<string, number>()
  for (const key of needed) {
    const type = key.slice(0, key.indexOf('\0'))
    lacking.set(type, (lacking.get(type) ?? 0) + 1)
  }
  const types = Object.entries(typeCounts)
  const certain = types.map(([type, count]) => ({
    type,
    count,
    removed: count - Math.min(count, counts.get(type) ?? 0),
  }))
  demandFewRemovals(certain, maxRemoved)
  const isCleared = types.every(([type, count]) => {
    const kept = (counts.get(type) ?? 0) - (lacking.get(type) ?? 0)
    return count - kept <= allowedRemovals(maxRemoved, count)
  })
  if (!isCleared) await guardByIds(snapshot, typeCounts, maxRemoved)
}

async function guardByIds(
  { transport, ref, what, options, needed }: GuardedSnapshot,
  typeCounts: Readonly<Record<string, number>>,
  maxRemoved: MaxRemoved,
): Promise<void> {
  const present = new Set<string>(needed)
  for await (const { type, id } of what.records()) present.add(`${type}\0${id}`)
  const removed = new Map<string, number>()
  const pages = manifestPages(transport, ref, what.baseVersion!, { limit: 10_000, signal: options.signal })
  for await (const { records = [] } of pages) {
    for (const { type, id } of records)
      if (!present.has(`${type}\0${id}`)) removed.set(type, (removed.get(type) ?? 0) + 1)
  }
  const removals = [...removed].map(([type, gone]) => ({
    type,
    removed: gone,
    count: typeCounts[type] ?? gone,
  }))
  demandFewRemovals(removals, maxRemoved)
}
