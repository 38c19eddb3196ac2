/**
 * Turns a snapshot into changes: compares its manifest with the base, and adds the records that were sent. Removes records that
 * the manifest lacks. An unchanged record costs nothing, unless its privacy changed.
 */

import {
  compareUtf8,
  emptyTree,
  type Hash,
  type LeafNode,
  leafLinesBetween,
  type Sidecar,
  type Tree,
  type ViewDocument,
  walkLeaves,
} from '@ulmus/content'
import { LeafCursor } from '@ulmus/content/stored'
import type { ObjectReader, PushSpillRow, PushStanding } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { canonicalOf } from '../../stored-leaves/canonical-forms.ts'
import {
  compareEntries,
  EntriesByType,
  type EntriesSource,
  EntryBatch,
  type PushEntry,
} from '../spills/entries.ts'
import { mergedEntries } from '../spills/spills.ts'

interface SnapshotBase {
  full: ViewDocument
  public: ViewDocument
  sidecar: Sidecar
}

/** Maximum missing hashes in the answer; all are counted. */
const missingListedMax = 100

/** Largest batch of ids that only the base has. */
const passedAtOnce = 128

/**
 * Checks that the session is complete, and starts the stream of changes.
 * @throws manifest_incomplete, manifest_conflict, records_missing.
 */
export async function snapshotEntries(
  context: Context,
  push: PushStanding,
  given: { base: SnapshotBase; spills: readonly PushSpillRow[] },
): Promise<EntriesSource> {
  const manifest = given.spills.filter((spill) => spill.role === 'manifest')
  const records = given.spills.filter((spill) => spill.role === 'records')
  await demandComplete(context, push, { manifest, records })
  return (passed) => changesOf(context, given.base, { manifest, records }, passed)
}

interface SnapshotSpills {
  manifest: readonly PushSpillRow[]
  records: readonly PushSpillRow[]
}

/** Requires all entries of the manifest, and all records that the base lacks. */
async function demandComplete(context: Context, push: PushStanding, spills: SnapshotSpills): Promise<void> {
  const sent = new Ascending(mergedEntries(context, spills.records))
  const missing: Hash[] = []
  let received = 0
  let missingCount = 0
  try {
    for await (const batch of mergedEntries(context, spills.manifest, refuseTwoHashes)) {
      received += batch.length
      for (const entry of batch) {
        const put = entry.put!
        if (!put.needed || (await sent.find(entry))?.put?.hash === put.hash) continue
        missingCount++
        if (missing.length < missingListedMax) missing.push(put.hash)
      }
    }
  } finally {
    await sent.close()
  }
  const expected = push.manifestExpected!
  if (received !== expected) {
    throw new RegistryError('manifest_incomplete', {
      details: { manifest_received: received, manifest_expected: expected },
    })
  }
  if (missingCount > 0) {
    throw new RegistryError('records_missing', {
      details: { missing_hashes: missing, totalMissing: missingCount },
    })
  }
}

/** Refuses a manifest that names a record with two hashes: `superseded` of a merge. @throws manifest_conflict */
export function refuseTwoHashes(entry: PushEntry, by: PushEntry): void {
  if (entry.put?.hash === by.put?.hash) return
  throw new RegistryError('manifest_conflict', {
    details: { id: entry.id, type: entry.type, hashes: [entry.put?.hash, by.put?.hash] },
  })
}

async function* changesOf(
  context: Context,
  base: SnapshotBase,
  spills: SnapshotSpills,
  passed?: (records: number) => void,
): AsyncGenerator<PushEntry[]> {
  const manifest = new EntriesByType(mergedEntries(context, spills.manifest))
  const sent = new Ascending(mergedEntries(context, spills.records))
  try {
    for (const type of await typesOf(context, base, spills.manifest)) {
      yield* changesOfType(context.objects, { type, base, entries: manifest.of(type), sent, passed })
    }
  } finally {
    await Promise.all([manifest.close(), sent.close()])
  }
}

/** The types of the base and of the manifest, in order. */
async function typesOf(
  context: Context,
  base: SnapshotBase,
  spills: readonly PushSpillRow[],
): Promise<string[]> {
  const types = new Set(Object.keys(base.full.types))
  for await (const batch of mergedEntries(context, spills)) types.add(batch[0]!.type)
  return [...types].sort(compareUtf8)
}

interface OneType {
  type: string
  base: SnapshotBase
  entries: AsyncGenerator<PushEntry[]>
  sent: Ascending
  /** Called with the number of manifest entries read, changed or not. */
  passed?: (records: number) => void
}

async function* changesOfType(objects: ObjectReader, one: OneType): AsyncGenerator<PushEntry[]> {
  const { type, sent } = one
  const full = ownOf(one.base.full.types, type) ?? emptyTree
  const hiddenTree =
    ownOf(one.base.public.types, type) ?? ownOf(one.base.sidecar.hiddenTrees, type) ?? emptyTree
  const shown = new LeafCursor(objects, hiddenTree)
  const before = new BaseRecords(objects, full)
  const changes = new EntryBatch()
  for await (const batch of one.entries) {
    one.passed?.(batch.length)
    for (const entry of batch) {
      for (
        let gone = await before.passedBy(entry.id);
        gone.length > 0;
        gone = await before.passedBy(entry.id)
      ) {
        for (const id of gone) changes.add({ type, id })
        if (changes.isFull) yield changes.take()
      }
      const put = entry.put!
      const existing = before.take(entry.id)
      if (existing?.hash === put.hash) {
        const wasPrivate = full.root !== hiddenTree.root && (await shown.find(entry.id)) === undefined
        if (put.private === wasPrivate) continue
        const canonical = await before.canonical(existing)
        changes.add({ type, id: entry.id, put: { ...put, canonical, carried: true } })
      } else {
        const record = await sent.find(entry)
        // `demandComplete` found the record; a base that changed since would be a defect.
        if (record?.put?.hash !== put.hash)
          throw new RegistryError('records_missing', { details: { missing_hashes: [put.hash] } })
        changes.add({ type, id: entry.id, put: { ...record.put, private: put.private } })
      }
      if (changes.isFull) yield changes.take()
    }
  }
  if (!changes.isEmpty) yield changes.take()
  for (let gone = await before.passedBy(); gone.length > 0; gone = await before.passedBy()) {
    yield gone.map((id) => ({ type, id }))
  }
}

const ownOf = <T>(record: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Reads the records of a base tree in step with an ascending stream. */
class BaseRecords {
  readonly #objects: ObjectReader
  readonly #leaves: ReturnType<typeof walkLeaves>
  #leaf: { hash: Hash; node: LeafNode; at: number } | undefined
  #isDone = false

  constructor(objects: ObjectReader, tree: Tree) {
    this.#objects = objects
    this.#leaves = walkLeaves(tree, objects)
  }

  /** The next untaken ids before `id` (undefined: before the end), one batch at most. Empty if there are no more. */
  async passedBy(id?: string): Promise<string[]> {
    for (;;) {
      const leaf = this.#leaf ?? (await this.#next())
      if (leaf === undefined) return []
      const { keys } = leaf.node
      const start = leaf.at
      const end = Math.min(keys.length, start + passedAtOnce)
      while (leaf.at < end && (id === undefined || compareUtf8(keys[leaf.at]!, id) < 0)) leaf.at++
      if (leaf.at > start || leaf.at < keys.length) return keys.slice(start, leaf.at)
      this.#leaf = undefined
    }
  }

  /** The record with this id, if it is the next. */
  take(id: string): { hash: Hash; leaf: Hash; index: number } | undefined {
    const leaf = this.#leaf
    if (leaf === undefined || leaf.node.keys[leaf.at] !== id) return undefined
    const index = leaf.at++
    return { hash: leaf.node.hashes[index]!, leaf: leaf.hash, index }
  }

  async canonical(existing: { leaf: Hash; index: number }): Promise<Uint8Array> {
    const [line] = leafLinesBetween(
      await this.#objects.body(existing.leaf),
      existing.index,
      existing.index + 1,
    )
    return canonicalOf(this.#objects, line!)
  }

  async #next() {
    this.#leaf = undefined
    if (this.#isDone) return undefined
    const next = await this.#leaves.next()
    if (next.done) this.#isDone = true
    else this.#leaf = { hash: next.value.hash, node: next.value.leaf, at: 0 }
    return this.#leaf
  }
}

/** A stream of entries with ascending look-ups; reads each entry once. */
class Ascending {
  readonly #batches: AsyncGenerator<PushEntry[]>
  #batch: PushEntry[] = []
  #at = 0

  constructor(batches: AsyncGenerator<PushEntry[]>) {
    this.#batches = batches
  }

  async find(wanted: { type: string; id: string }): Promise<PushEntry | undefined> {
    for (;;) {
      for (; this.#at < this.#batch.length; this.#at++) {
        const order = compareEntries(this.#batch[this.#at]!, wanted)
        if (order === 0) return this.#batch[this.#at]
        if (order > 0) return undefined
      }
      const next = await this.#batches.next()
      if (next.done) return undefined
      this.#batch = next.value
      this.#at = 0
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}
