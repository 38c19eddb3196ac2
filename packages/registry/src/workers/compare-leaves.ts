/** What differs between two leaves, made of what is stored of them: a task for a reading thread. */
import {
  type Child,
  checkPlace,
  decodeStoredNode,
  hashBytes,
  type LeafNode,
  leafChanges,
  type TreeChange,
} from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { decodeChain, decodeEncoded } from '@ulmus/storage/decoding'
import { linesOf } from '../bodies.ts'
import { type Damaged, free, orDamaged } from './damage.ts'

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
  const [old, next] = [leafOf(before, texts[0]), leafOf(after, texts[1])]
  const changes: LeafChange[] = leafChanges({ ...before, leaf: old }, { ...after, leaf: next })
  if (before.body !== undefined && after.body !== undefined) {
    const bodies = await decodePair(before.body, after.body)
    const [oldLines, newLines] = [linesOf(bodies[0]), linesOf(bodies[1])]
    for (const change of changes)
      change.lines = { before: copied(oldLines, change.before), after: copied(newLines, change.after) }
    bodies.forEach(free)
  }
  texts.forEach(free)
  return { kind: 'compared', changes }
}

function leafOf({ hash, lastKey }: ComparedLeaf, text: Uint8Array): LeafNode {
  const leaf = decodeStoredNode(text)
  checkPlace(hash, leaf, { level: 0, lastKey })
  return leaf as LeafNode
}

/** A view would take along the whole body. */
const copied = (lines: readonly Uint8Array[], at: { index: number } | undefined): Uint8Array | undefined =>
  at && new Uint8Array(lines[at.index]!)

/** Raw bytes of both. Most often one is stored as what differs from the other, which comes of decoding it. */
async function decodePair(before: EncodedObject, after: EncodedObject): Promise<[Uint8Array, Uint8Array]> {
  const [whole, base] = before.chain.length > after.chain.length ? [before, after] : [after, before]
  const raws = await decodeChain(whole, { mayHoldUp: true })
  const link = whole.chain.findIndex(({ hash }) => hash === base.hash)
  const raw =
    link > 0 && hashBytes(raws[link]!) === base.checksum
      ? raws[link]!
      : await decodeEncoded(base, { mayHoldUp: true })
  for (const other of raws) if (other !== raws[0] && other !== raw) free(other)
  return whole === after ? [raw, raws[0]!] : [raws[0]!, raw]
}
