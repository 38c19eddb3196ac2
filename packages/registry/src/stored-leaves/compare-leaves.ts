/** Compares two leaves in stored form, for `leaf-pairs.ts`: a task for a reading thread, which decodes them there. */

import { type Child, hashBytes, type Located, type TreeChange } from '@ulmus/content'
import { LeafRows, leafChanges } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChain, decodeEncoded } from '@ulmus/storage/decoding'
import { free, wholeBuffers } from '../work/buffers.ts'
import { defineTask } from '../work/task.ts'

export interface ComparedLeaf extends Pick<Child, 'hash' | 'lastKey'> {
  node: EncodedObject
}

export interface CompareTask {
  before: ComparedLeaf
  after: ComparedLeaf
}

/** An entry, and the start of its record's line in the leaf's body. Bytes. */
export interface LineLocated extends Located {
  lineStart: number
}

/** A change with the places of its lines. */
export interface LineChange extends TreeChange {
  before?: LineLocated
  after?: LineLocated
}

export const compareLeaves = defineTask({
  name: 'compareLeaves',
  pool: 'read',
  run: compare,
  moves: ({ before, after }) => wholeBuffers([before, after]),
})

async function compare({ before, after }: CompareTask): Promise<LineChange[]> {
  const texts = await decodePair(before.node, after.node)
  const [old, next] = [new LeafRows(before, texts[0]), new LeafRows(after, texts[1])]
  const [oldStarts, newStarts] = [old.lineStarts(), next.lineStarts()]
  const changes = leafChanges(old, next).map((change) => ({
    key: change.key,
    ...(change.before && { before: { ...change.before, lineStart: oldStarts[change.before.index]! } }),
    ...(change.after && { after: { ...change.after, lineStart: newStarts[change.after.index]! } }),
  }))
  texts.forEach(free)
  for (const { node } of [before, after]) for (const { bytes } of node.chain) free(bytes)
  return changes
}

/** Raw bytes of both. Often one is stored as a delta against the other, so that decoding it yields both. */
async function decodePair(before: EncodedObject, after: EncodedObject): Promise<[Uint8Array, Uint8Array]> {
  const options = { mayHoldUp: true }
  const [whole, base] = before.chain.length > after.chain.length ? [before, after] : [after, before]
  const raws = await decodeChain(whole, options)
  const link = whole.chain.findIndex(({ hash }) => hash === base.hash)
  const raw =
    link > 0 && hashBytes(raws[link]!) === base.checksum ? raws[link]! : await decodeEncoded(base, options)
  for (const other of raws) if (other !== raws[0] && other !== raw) free(other)
  return whole === after ? [raw, raws[0]!] : [raws[0]!, raw]
}
