/** Finds one record in a leaf's stored form, for `records/lookup.ts`: a task for a reading thread, which decodes the leaf there. */

import type { Hash } from '@ulmus/content'
import { LeafRows } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChainInParts, decodeEncoded } from '@ulmus/storage/decoding'
import { free, freeParts, wholeBuffers } from '../work/buffers.ts'
import { defineTask } from '../work/task.ts'
import { checkedLine } from './changed-lines.ts'

export interface FindTask {
  node: EncodedObject
  body: EncodedObject
  /** The leaf's last key, from its parent. */
  lastKey: string
  id: string
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
  run: find,
  moves: (leaf) => wholeBuffers([leaf]),
})

/** @returns undefined if the leaf has no record with this id */
async function find({ node, body, lastKey, id }: FindTask): Promise<FoundRecord | undefined> {
  const text = await decodeEncoded(node, { mayHoldUp: true })
  const rows = new LeafRows({ hash: node.hash, lastKey }, text)
  const entry = rows.find(id)
  if (entry === undefined) return undefined
  const raws = decodeChainInParts(body)
  const wanted = { ...entry, lineStart: rows.lineStarts()[entry.index]! }
  // A copy: cloning a view for a message copies the whole body.
  const line = new Uint8Array(checkedLine(body, raws[0]!, wanted))
  freeParts(raws)
  for (const bytes of [text, ...[...node.chain, ...body.chain].map((link) => link.bytes)]) free(bytes)
  return { hash: entry.hash, size: entry.size, line }
}
