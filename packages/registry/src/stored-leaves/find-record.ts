/**
 * Reads a few records of a leaf from its stored form, without caching it: as a task for a reading thread, or on the calling thread if the
 * leaf is small. `records/lookup.ts` decides.
 */

import type { Hash } from '@ulmus/content'
import { LeafRows } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChainInParts, decodeEncoded } from '@ulmus/storage/decoding'
import { free, freeParts, wholeBuffers } from '../work/buffers.ts'
import { defineTask } from '../work/task.ts'
import { checkedLine } from './changed-lines.ts'

export interface StoredLeaf {
  node: EncodedObject
  body: EncodedObject
  /** The leaf's last key, from its parent. */
  lastKey: string
}

/** A record's entry, and the line that its leaf's body has for it. */
export interface FoundRecord {
  hash: Hash
  /** Size of the canonical form. Bytes. */
  size: number
  line: Uint8Array
}

export const findRecord = defineTask({
  name: 'findRecord',
  pool: 'read',
  run: findStored,
  moves: (leaf) => wholeBuffers([leaf]),
})

/** @returns undefined if the leaf has no record with this id */
export async function findStored({
  id,
  ...leaf
}: StoredLeaf & { id: string }): Promise<FoundRecord | undefined> {
  const [found] = await readStored(leaf, (rows) => {
    const entry = rows.find(id)
    return entry === undefined ? [0, 0] : [entry.index, entry.index + 1]
  })
  return found
}

/**
 * Reads the records in the range [from, to) that `choose` returns, each verified against its hash. Frees the stored form.
 * @throws ObjectCorruptError. TreeError `node_misplaced` if the leaf contradicts its parent.
 */
export async function readStored(
  { node, body, lastKey }: StoredLeaf,
  choose: (rows: LeafRows) => readonly [from: number, to: number],
): Promise<FoundRecord[]> {
  const text = await decodeEncoded(node, { mayHoldUp: true })
  const rows = new LeafRows({ hash: node.hash, lastKey }, text)
  const [from, to] = choose(rows)
  const found: FoundRecord[] = []
  if (from < to) {
    const raws = decodeChainInParts(body)
    const starts = rows.lineStarts()
    // A copy of these lines alone: the body is freed, and cloning a view for a message copies all of its buffer.
    const lines = new Uint8Array(raws[0]!.subarray(starts[from]!, starts[to]! - 1))
    for (let row = from; row < to; row++) {
      const entry = { hash: rows.hash(row), size: rows.size(row) }
      const lineStart = starts[row]! - starts[from]!
      found.push({ ...entry, line: checkedLine(body, lines, { ...entry, lineStart }) })
    }
    freeParts(raws)
  }
  for (const bytes of [text, ...[...node.chain, ...body.chain].map((link) => link.bytes)]) free(bytes)
  return found
}
