/**
 * Streams the records of a tree as NDJSON, for downloads of all records and for exports. Threads write the leaves of large trees in
 * stored form (write-leaf.ts); small trees are read through the cache (walk.ts).
 */

import { Ahead, type Child, nameLeaves, type Tree } from '@ulmus/content'
import { type LineForm, linesOfForms } from '@ulmus/content/stored'
import type { ObjectReader } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { writeLeaf } from '../stored-leaves/write-leaf.ts'
import type { Work } from '../work/work.ts'
import { runsOfLeaf, walkRecords } from './walk.ts'

/** Maximum number and size of leaves that are read and decoded while one is sent: enough to keep two threads busy. */
const leavesAhead = { most: 4, bytesMost: 8_388_608 }
/** A reader that takes longer for a chunk does not profit from chunks prepared ahead. Milliseconds. */
const promptMilliseconds = 1_000
/** Leaves whose locations are looked up in one query. */
const leavesForeseen = 64
/** Reuse only buffers up to this size for later leaves. Bytes. */
const bufferBytesMax = 4_194_304

export interface StreamOptions {
  /** Only records with a larger id. */
  after?: string | undefined
  form: LineForm
  /** Owner in the fair queue for threads (`readerOf`). */
  reader: string
  /** True: a chunk is valid only until the next one is requested, when its memory is reused. Default: false. */
  fleeting?: boolean
}

/** Whole lines of all requested records, in order. The reader may stop at any time. */
export async function* streamRecords(
  context: Pick<Context, 'objects' | 'work'>,
  tree: Tree,
  options: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const reader = context.objects.scanReader(tree.bytes)
  // Small trees are read through the cache.
  if (reader !== context.objects) yield* streamInThreads(reader, context.work, tree, options)
  else
    for await (const run of walkRecords(reader, tree, options))
      yield linesOfForms(run.forms, { ...run, form: options.form })
}

async function* streamInThreads(
  reader: ObjectReader,
  work: Work,
  tree: Tree,
  { after, form, reader: whose, fleeting = false }: StreamOptions,
): AsyncGenerator<Uint8Array> {
  const leaves = prefetched(reader, nameLeaves(tree, reader, { after }))
  const spare: ArrayBuffer[] = []
  const write = async (leaf: Child) => {
    const encoded = await reader.encodedLeaf(leaf.hash)
    const { lastKey } = leaf
    const task = { ...encoded, lastKey, after, form, buffer: spare.pop() }
    return { leaf, outcome: await work.run(writeLeaf, task, { owner: whose }) }
  }
  // Grow by one with each chunk that is taken promptly, so that stalled readers use little memory.
  const ahead = new Ahead<Awaited<ReturnType<typeof write>>>({ ...leavesAhead, most: 1 })
  async function* takeFirst(): AsyncGenerator<Uint8Array> {
    const { leaf, outcome } = await ahead.take()
    if (outcome.kind === 'lines') {
      const givenAt = performance.now()
      yield Buffer.from(outcome.buffer, 0, outcome.bytes)
      const isPrompt = performance.now() - givenAt < promptMilliseconds
      ahead.most = isPrompt ? Math.min(ahead.most + 1, leavesAhead.most) : 1
      if (fleeting && outcome.buffer.byteLength <= bufferBytesMax) spare.push(outcome.buffer)
    } else
      for await (const run of runsOfLeaf(reader, leaf.hash, after))
        yield linesOfForms(run.forms, { ...run, form })
  }
  try {
    for await (const leaf of leaves) {
      while (!ahead.hasRoom(leaf.bytes)) yield* takeFirst()
      ahead.add(write(leaf), leaf.bytes)
    }
    while (!ahead.isEmpty) yield* takeFirst()
  } finally {
    // Free the buffers now: garbage collection runs only when other allocations trigger it.
    for (const { outcome } of await ahead.settle()) if (outcome.kind === 'lines') spare.push(outcome.buffer)
    for (const buffer of spare) buffer.transfer(0)
  }
}

async function* prefetched(
  reader: ObjectReader,
  groups: AsyncGenerator<Child[]>,
): AsyncGenerator<Child, undefined> {
  for await (const group of groups) {
    for (let i = 0; i < group.length; i += leavesForeseen) {
      const leaves = group.slice(i, i + leavesForeseen)
      await reader.prefetch(leaves.map(({ hash }) => hash))
      yield* leaves
    }
  }
}
