/** A walk over the records of a tree in their canonical forms, in bounded memory: what streams of whole versions are made of. */

import {
  firstAfter,
  type Hash,
  isReferenceLine,
  type LeafNode,
  leafLines,
  type Tree,
  type WalkedLeaf,
  walkLeaves,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { canonicalOf } from '../stored-leaves/canonical-forms.ts'

/** Leaves that are being read while one is used, so that a walk does not wait for each in turn. */
const leavesAhead = 2
/** A run holds canonical forms up to this size together, and at least one. Bytes. */
const spillBytesMax = 1_048_576

/** Consecutive records: `forms[i]` is the canonical form of entry `start + i` of `leaf`. */
export interface RecordSpill {
  leaf: LeafNode
  start: number
  forms: Uint8Array[]
}

/** Every record with an id > `options.after`, in order. May be left at any time; then nothing is read any more once it has returned. */
export async function* walkRecords(
  reader: ObjectReader,
  tree: Tree,
  options: { after?: string | undefined } = {},
): AsyncGenerator<RecordSpill> {
  for await (const leaf of walkBodies(reader, tree, options.after)) yield* runsIn(reader, leaf)
}

/** The records of one leaf, likewise. */
export async function* runsOfLeaf(
  reader: ObjectReader,
  hash: Hash,
  after: string | undefined,
): AsyncGenerator<RecordSpill> {
  const leaf = (await reader.node(hash)) as LeafNode
  const start = after === undefined ? 0 : firstAfter(leaf.keys, after)
  yield* runsIn(reader, { hash, leaf, start, body: await reader.body(hash) })
}

async function* runsIn(
  reader: ObjectReader,
  { leaf, start, body }: LeafWithBody,
): AsyncGenerator<RecordSpill> {
  const lines = leafLines(body)
  for (let from = start; from < lines.length; ) {
    let to = from + 1
    for (let bytes = leaf.sizes[from]!; to < lines.length; to++) {
      bytes += leaf.sizes[to]!
      if (bytes > spillBytesMax) break
    }
    const forms: Uint8Array[] = []
    for (let index = from; index < to; index++) {
      const line = lines[index]!
      // Waits for large records only: a promise for each of the others would cost more than all else done with it.
      forms.push(isReferenceLine(line) ? await canonicalOf(reader, line) : line)
    }
    yield { leaf, start: from, forms }
    from = to
  }
}

type LeafWithBody = WalkedLeaf & { body: Uint8Array }

/** Leaves with their bodies; the next few are read while one is used. */
async function* walkBodies(
  reader: ObjectReader,
  tree: Tree,
  after: string | undefined,
): AsyncGenerator<LeafWithBody> {
  const leaves = walkLeaves(tree, reader, { after })
  const coming: Promise<LeafWithBody | undefined>[] = []
  const readNext = async (): Promise<LeafWithBody | undefined> => {
    const next = await leaves.next()
    return next.done ? undefined : { ...next.value, body: await reader.body(next.value.hash) }
  }
  try {
    for (;;) {
      while (coming.length <= leavesAhead) {
        const one = readNext()
        // It is awaited in its turn, or, when the walk is left, never.
        one.catch(() => undefined)
        coming.push(one)
      }
      const leaf = await coming.shift()
      if (leaf === undefined) return
      yield leaf
    }
  } finally {
    await leaves.return(undefined)
    await Promise.allSettled(coming)
  }
}
