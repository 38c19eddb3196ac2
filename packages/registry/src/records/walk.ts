/** Walks over the records of a tree in canonical form, in bounded memory. Streams of whole versions use it. */

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

/** Leaves read ahead while one is used, so that a walk does not wait for each in turn. */
const leavesAhead = 2
/** Largest total size of canonical forms in a run, unless it has only one. Bytes. */
const spillBytesMax = 1_048_576

/** Consecutive records: `forms[i]` is the canonical form of entry `start + i` of `leaf`. */
export interface RecordSpill {
  leaf: LeafNode
  start: number
  forms: Uint8Array[]
}

/**
 * All records with an id > `options.after`, in order. The reader may stop at any time; once the generator has returned, nothing
 * is being read.
 */
export async function* walkRecords(
  reader: ObjectReader,
  tree: Tree,
  options: { after?: string | undefined } = {},
): AsyncGenerator<RecordSpill> {
  for await (const leaf of walkBodies(reader, tree, options.after)) yield* runsIn(reader, leaf)
}

/** The records of one leaf with an id > `after`, in order. */
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
      // Awaits only large records: a promise for each of the others would cost more than the rest of their processing.
      forms.push(isReferenceLine(line) ? await canonicalOf(reader, line) : line)
    }
    yield { leaf, start: from, forms }
    from = to
  }
}

type LeafWithBody = WalkedLeaf & { body: Uint8Array }

/** Leaves with their bodies; reads the next few while one is used. */
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
        // Awaited in its turn, or never if the walk is abandoned.
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
