/** Compares two leaves in stored form, for `versions/differences/changes.ts`: a task for a reading thread, which decodes them there. */

import { type Child, hashBytes, type TreeChange } from '@ulmus/content'
import { LeafRows, leafChanges } from '@ulmus/content/stored'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChain, decodeEncoded } from '@ulmus/storage/decoding'
import { free, wholeBuffers } from '../work/buffers.ts'
import { defineTask } from '../work/task.ts'
import { linesIn } from './checked-lines.ts'

export interface ComparedLeaf extends Pick<Child, 'hash' | 'lastKey'> {
  node: EncodedObject
  /** Present: the result includes the lines of the records that differ. */
  body?: EncodedObject
}

export interface CompareTask {
  before: ComparedLeaf
  after: ComparedLeaf
}

/** A change, with its lines from the leaves' bodies if requested. */
export interface LeafChange extends TreeChange {
  lines?: { before: Uint8Array | undefined; after: Uint8Array | undefined }
}

export const compareLeaves = defineTask({
  name: 'compareLeaves',
  pool: 'read',
  run: compare,
  moves: ({ before, after }) => wholeBuffers([before, after]),
})

async function compare({ before, after }: CompareTask): Promise<LeafChange[]> {
  const texts = await decodePair(before.node, after.node)
  const [old, next] = [new LeafRows(before, texts[0]), new LeafRows(after, texts[1])]
  const changes: LeafChange[] = leafChanges(old, next)
  if (before.body !== undefined && after.body !== undefined) {
    const bodies = await decodePair(before.body, after.body, { isCheckedInParts: true })
    const oldLines = linesIn(before.body, bodies[0], old)
    const newLines = linesIn(after.body, bodies[1], next)
    for (const change of changes)
      change.lines = { before: oldLines(change.before), after: newLines(change.after) }
    bodies.forEach(free)
  }
  texts.forEach(free)
  for (const object of [before.node, before.body, after.node, after.body])
    for (const { bytes } of object?.chain ?? []) free(bytes)
  return changes
}

/** Raw bytes of both. Often one is stored as a delta against the other, so that decoding it yields both. */
async function decodePair(
  before: EncodedObject,
  after: EncodedObject,
  { isCheckedInParts = false } = {},
): Promise<[Uint8Array, Uint8Array]> {
  const options = { mayHoldUp: true, isCheckedInParts }
  const [whole, base] = before.chain.length > after.chain.length ? [before, after] : [after, before]
  const raws = await decodeChain(whole, options)
  const link = whole.chain.findIndex(({ hash }) => hash === base.hash)
  const raw =
    link > 0 && (isCheckedInParts || hashBytes(raws[link]!) === base.checksum)
      ? raws[link]!
      : await decodeEncoded(base, options)
  for (const other of raws) if (other !== raws[0] && other !== raw) free(other)
  return whole === after ? [raw, raws[0]!] : [raws[0]!, raw]
}
