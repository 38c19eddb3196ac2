import { type DiffReader, diffTrees, leafLines, type Tree } from '@ulmus/content'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../testing/world.ts'
import { differenceReader } from '../versions/differences/changes.ts'
import { seeVersion } from '../versions/versions.ts'
import type { LeafChange } from './changed-lines.ts'
import { type CompareOptions, LeafPairs } from './leaf-pairs.ts'

const item = (n: number, data: object) => ({ id: `i${10_000 + n}`, type: 'T', data })
const items = (from: number, to: number, data: object = {}) =>
  Array.from({ length: to - from }, (_, n) => item(from + n, { ...data, n }))

let world: World
let [before, after]: Tree[] = []

beforeAll(async () => {
  world = await openWorld(databases[0]!)
  const path = await world.collection()
  await world.push(path, { base: null, schemas: { T: {} }, puts: items(0, 9_000) })
  await world.push(path, {
    ...{ base: 'v1.0.0', schemas: { T: {} } },
    puts: [...items(0, 20, { changed: 1 }), ...items(5_000, 5_003, { changed: 'x'.repeat(20_000) })],
    deletes: items(8_990, 8_995),
  })
  const treeOf = async (v: string) =>
    (await seeVersion(world.context, world.me, { ...path, v })).roots.types['T']!
  ;[before, after] = [await treeOf('v1.0.0'), await treeOf('v1.1.0')]
})
afterAll(() => world.dispose())

/** Pairs of a cache of this size, and the kinds of objects read for them. */
function watchedPairs(bytesMax = 1024 ** 2) {
  const read: string[] = []
  const { objects, work } = world.context
  const encodedPair: typeof objects.encodedPair = (kind, leaves) => {
    read.push(kind)
    return objects.encodedPair(kind, leaves)
  }
  return { read, pairs: new LeafPairs({ objects: { ...objects, encodedPair }, work, bytesMax }) }
}

/** All changes, with every pair of leaves compared by `pairs`. */
async function changesBy(pairs: LeafPairs, options: Pick<CompareOptions, 'lines'>) {
  const changes: LeafChange[] = []
  const reader: DiffReader<LeafChange> = {
    node: world.context.objects.node,
    compareLeaves: (before, after) => pairs.compare({ before, after }, { owner: 'anyone', ...options }),
  }
  for await (const change of diffTrees(before!, after!, reader)) changes.push(change)
  return changes
}

describe('pairs of leaves', () => {
  test('have the same changes as the trees, with the lines of the bodies', async () => {
    const { objects } = world.context
    const expected = []
    for await (const change of diffTrees(before!, after!, { node: objects.node })) expected.push(change)
    expect(expected.length).toBe(28)
    const { pairs } = watchedPairs()
    const found = await changesBy(pairs, { lines: true })
    expect(found).toMatchObject(expected)
    for (const { before, after, lines } of found)
      for (const [entry, line] of [
        [before, lines!.before],
        [after, lines!.after],
      ] as const) {
        const body = entry && leafLines(await objects.body(entry.leaf))
        expect(line && Buffer.from(line)).toEqual(body && Buffer.from(body[entry.index]!))
      }
  })

  test('are read once, and their bodies only for the lines', async () => {
    const { read, pairs } = watchedPairs()
    const found = await changesBy(pairs, { lines: false })
    const count = read.length
    expect(read).toEqual(Array(count).fill('plain'))
    expect(count).toBeGreaterThan(1)
    expect(await changesBy(pairs, { lines: false })).toEqual(found)
    expect(read.length).toBe(count)
    const withLines = await changesBy(pairs, { lines: true })
    expect(read.slice(count)).toEqual(Array(count).fill('body'))
    expect(withLines).toMatchObject(found)
    for (const lines of [true, false]) expect(await changesBy(pairs, { lines })).toEqual(withLines)
    expect(read.length).toBe(2 * count)
  })

  test('are cached within bounds', async () => {
    const { read, pairs } = watchedPairs(0)
    const found = await changesBy(pairs, { lines: true })
    const count = read.length
    expect(await changesBy(pairs, { lines: true })).toEqual(found)
    expect(read.length).toBe(2 * count)
    expect(pairs.bytes).toBe(0)
    const large = watchedPairs().pairs
    await changesBy(large, { lines: true })
    expect(large.bytes).toBeGreaterThan(28 * 64)
    expect(large.bytes).toBeLessThan(1024 ** 2)
  })

  test('that are cached are not read again by the calling thread', async () => {
    const { read, pairs } = watchedPairs()
    const found = await changesBy(pairs, { lines: false })
    const reads = read.length
    const unread = { ...world.context.objects, encodedPair: () => Promise.reject(new Error('read')) }
    const reader = differenceReader({ ...world.context, objects: unread, leafPairs: pairs }, 'anyone')
    const again = []
    for await (const change of diffTrees(before!, after!, reader)) again.push(change)
    expect([again, read.length]).toEqual([found, reads])
  })
})
