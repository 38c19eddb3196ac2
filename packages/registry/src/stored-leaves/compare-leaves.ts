/** Comparison of two leaves in stored form: a task for a reading thread. */
import { type Child, hashBytes, type TreeChange } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChain, decodeEncoded } from '@ulmus/storage/decoding'
import { type Damaged, orDamaged } from '../threads/damage.ts'
import { free } from '../threads/free.ts'
import { linesIn } from './checked-lines.ts'
import { LeafRows, leafChanges } from './leaf-rows.ts'

export interface ComparedLeaf extends Pick<Child, 'hash' | 'lastKey'> {
  node: EncodedObject
  /** Present: the lines of the records that differ are wanted. */
  body?: EncodedObject
}

export interface CompareTask {
  before: ComparedLeaf
  after: ComparedLeaf
}

/** A change with the lines that the leaves' bodies have for it, where they were wanted. */
export interface LeafChange extends TreeChange {
  lines?: { before: Uint8Array | undefined; after: Uint8Array | undefined }
}

export type CompareOutcome = { kind: 'compared'; changes: LeafChange[] } | Damaged

export const compareLeaves = (task: CompareTask): Promise<CompareOutcome> => orDamaged(compared(task))

async function compared({ before, after }: CompareTask): Promise<CompareOutcome> {
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
  return { kind: 'compared', changes }
}

/** Raw bytes of both. Most often one is stored as what differs from the other, which comes of decoding it. */
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
