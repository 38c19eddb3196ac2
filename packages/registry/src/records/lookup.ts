/** Look-up of a record by its id: from the cache, or in a thread that extracts it from the stored form of an uncached leaf. */
import {
  type Child,
  checkPlace,
  entryIn,
  findLeaf,
  type LeafNode,
  leafLinesBetween,
  type Tree,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { type FoundRecord, findRecord as findRecordIn } from '../stored-leaves/find-record.ts'

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
  if (objects.shouldCache(leaf) || !work.hasReader()) return findKept(objects, leaf, id)
  const task = { ...(await objects.encodedLeaf(leaf.hash)), lastKey: leaf.lastKey, id }
  return work.run(findRecordIn, task, { owner: reader })
}

async function findKept(
  objects: ObjectReader,
  { hash, lastKey }: Child,
  id: string,
): Promise<FoundRecord | undefined> {
  const node = await objects.node(hash)
  checkPlace(hash, node, { level: 0, lastKey })
  const entry = entryIn(hash, node as LeafNode, id)
  if (entry === undefined) return undefined
  const [line] = leafLinesBetween(await objects.body(hash), entry.index, entry.index + 1)
  return { hash: entry.hash, size: entry.size, line: line! }
}
