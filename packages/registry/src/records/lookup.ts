/**
 * Reads one record, or some consecutive ones of a leaf: through the cache, or from the stored form of a leaf that is not worth caching.
 * Decoding and hashing all of such a leaf takes several times as long as its stored form, and evicts leaves that are read often.
 */
import {
  type Child,
  checkPlace,
  entryIn,
  findLeaf,
  firstAfter,
  type LeafNode,
  leafLinesBetween,
  type Tree,
} from '@ulmus/content'
import { ObjectCorruptError, type ObjectReader } from '@ulmus/storage'
import type { Context } from '../context.ts'
import {
  type FoundRecord,
  findRecord as findRecordIn,
  findStored,
  readStored,
} from '../stored-leaves/find-record.ts'

/** Leaves with up to this many bytes of records are decoded on the event loop: a message to a thread and back takes as long. Bytes. */
const decodedHereMax = 2_097_152

/**
 * Finds a record. Does not follow the reference of a large one.
 * @param reader owner in the fair queue for threads (`readerOf`)
 * @returns undefined if the tree has no such id
 */
export async function findRecord(
  { objects, work }: Pick<Context, 'objects' | 'work'>,
  tree: Tree,
  id: string,
  reader: string,
): Promise<FoundRecord | undefined> {
  const leaf = await findLeaf(tree, id, objects)
  if (leaf === undefined) return undefined
  if (objects.shouldCache(leaf)) return findKept(objects, leaf, id)
  if (leaf.bytes <= decodedHereMax)
    return fromStored(
      objects,
      leaf,
      (stored) => findStored({ ...stored, id }),
      () => findKept(objects, leaf, id),
    )
  if (!work.hasReader()) return findKept(objects, leaf, id)
  const task = { ...(await objects.encodedLeaf(leaf.hash)), lastKey: leaf.lastKey, id }
  return work.run(findRecordIn, task, { owner: reader })
}

async function findKept(objects: ObjectReader, leaf: Child, id: string): Promise<FoundRecord | undefined> {
  // Both parts at once, since most requested ids exist.
  const [node, body] = await Promise.all([nodeOf(objects, leaf), objects.body(leaf.hash)])
  const entry = entryIn(leaf.hash, node, id)
  if (entry === undefined) return undefined
  const [line] = leafLinesBetween(body, entry.index, entry.index + 1)
  return { hash: entry.hash, size: entry.size, line: line! }
}

/** Some consecutive records of a leaf. */
export interface FoundRecords {
  records: FoundRecord[]
  /** Id of the last of them; undefined if there are none. */
  lastId: string | undefined
  /** True if they end with the leaf's last record. */
  isRest: boolean
}

/** The entries of a leaf. */
interface Entries {
  readonly length: number
  size(index: number): number
  key(index: number): string
}

/**
 * Reads the records of a leaf with an id > `after`, as many as `take` accepts.
 * @param take returns the index after the last that fits, from `start` on
 */
export async function takeRecords(
  { objects }: Pick<Context, 'objects'>,
  leaf: Child,
  after: string | undefined,
  take: (entries: Pick<Entries, 'length' | 'size'>, start: number) => number,
): Promise<FoundRecords> {
  let taken: { range: readonly [number, number]; lastId: string | undefined; isRest: boolean } | undefined
  /** If the stored body is damaged, the records are read again: they are still the same. */
  const takeOf = (entries: Entries, firstOf: () => number) => {
    if (taken === undefined) {
      const start = firstOf()
      const end = take(entries, start)
      const lastId = end > start ? entries.key(end - 1) : undefined
      taken = { range: [start, end], lastId, isRest: end === entries.length }
    }
    return taken.range
  }
  async function readKept(): Promise<FoundRecord[]> {
    const { keys, hashes, sizes } = await nodeOf(objects, leaf)
    const entries = { length: keys.length, size: (at: number) => sizes[at]!, key: (at: number) => keys[at]! }
    const [start, end] = takeOf(entries, () => (after === undefined ? 0 : firstAfter(keys, after)))
    if (start === end) return []
    const lines = leafLinesBetween(await objects.body(leaf.hash), start, end)
    return lines.map((line, at) => ({ hash: hashes[start + at]!, size: sizes[start + at]!, line }))
  }
  const isCached = leaf.bytes > decodedHereMax || objects.shouldCache(leaf)
  const records = await (isCached
    ? readKept()
    : fromStored(
        objects,
        leaf,
        (stored) =>
          readStored(stored, (rows) =>
            takeOf(rows, () => (after === undefined ? 0 : rows.firstAfter(after))),
          ),
        readKept,
      ))
  return { records, lastId: taken?.lastId, isRest: taken?.isRest ?? true }
}

/** Reads a leaf's stored form. If it is damaged, its location may be outdated: then `readKept` looks it up again. */
async function fromStored<T>(
  objects: ObjectReader,
  { hash, lastKey }: Child,
  read: (stored: Parameters<typeof readStored>[0]) => Promise<T>,
  readKept: () => Promise<T>,
): Promise<T> {
  try {
    return await read({ ...(await objects.encodedLeaf(hash)), lastKey })
  } catch (error) {
    if (!(error instanceof ObjectCorruptError)) throw error
    objects.forget(error.kind, error.hash)
    return readKept()
  }
}

async function nodeOf(objects: ObjectReader, { hash, lastKey }: Child): Promise<LeafNode> {
  const node = await objects.node(hash)
  checkPlace(hash, node, { level: 0, lastKey })
  return node as LeafNode
}
