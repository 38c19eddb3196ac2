import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashText } from '../../hash.ts'
import { isFast, runs } from '../../testing/runs.ts'
import { defaultShape, trailingZeroBits } from '../boundary.ts'
import { buildTree, MemoryNodes } from '../memory-nodes.fixture.ts'
import { emptyTree, type Tree } from '../node.ts'
import { byBytes, type Contents, payloadOf, referenceTree } from '../reference-tree.fixture.ts'
import { edited } from '../tree-arbitraries.fixture.ts'
import { editTree } from './edit.ts'
import type { Edit } from './queue.ts'
import type { EditRange } from './range.ts'

const hash = hashText('some record')
const options = { kind: 'records' } as const

const put = (key: string, size = 1): Edit<string> => ({
  key,
  put: { hash, size, payload: payloadOf(key, hash) },
})
const contentsOf = (keys: string[]): Contents => new Map(keys.map((key) => [key, { hash, size: 1 }]))

function plain({ root, count, bytes }: Tree): Tree {
  return { root, count, bytes }
}

describe('forced splits at 8,192 entries', () => {
  /** 20,000 keys none of which ends a leaf by its zeros, followed by one that does. */
  const run = Array.from({ length: 25_000 }, (_, i) => `k${10_000 + i}`)
    .filter((key) => trailingZeroBits(key) < defaultShape.leafBits)
    .slice(0, 20_000)
  const ending = Array.from({ length: 100_000 }, (_, i) => `z${i}`).find(
    (key) => trailingZeroBits(key) >= defaultShape.leafBits,
  )!
  const nodes = new MemoryNodes()
  let base: Tree

  const leafLengths = (tree: Tree): number[] => {
    const root = nodes.nodes.get(tree.root!)!
    return root.kind === 'node' ? root.counts : [root.keys.length]
  }

  const editedTree = async (
    edits: Edit<string>[],
    from = base,
    contents = contentsOf(run),
  ): Promise<Tree> => {
    const sorted = edits.toSorted((a, b) => byBytes(a.key, b.key))
    nodes.forget()
    const tree = await editTree(from, [sorted], nodes, options)
    const reference = referenceTree(edited(contents, sorted), 'records', defaultShape)
    expect(tree).toEqual(plain(reference))
    return tree
  }

  beforeAll(async () => {
    base = await buildTree(contentsOf(run), nodes)
  })

  test('cut a run without natural boundaries', () => {
    expect(leafLengths(base)).toEqual([8_192, 8_192, 3_616])
  })

  test('move when an entry comes before them, up to the next natural boundary', async () => {
    const closed = await editedTree([put(ending), put(`${ending}a`)])
    expect(leafLengths(closed)).toEqual([8_192, 8_192, 3_617, 1])
    const first = await editedTree([put('j')], closed, contentsOf([...run, ending, `${ending}a`]))
    expect(leafLengths(first)).toEqual([8_192, 8_192, 3_618, 1])
    expect(nodes.opened).toHaveLength(3)
    expect(nodes.leaves).toHaveLength(3)
  })

  test('stay when an entry is replaced: only its leaf is rebuilt', async () => {
    await editedTree([put(run[9_000]!, 2)])
    expect(nodes.opened).toHaveLength(1)
    expect(nodes.leaves).toHaveLength(1)
  })

  test('stay when as many entries come as go', async () => {
    await editedTree([{ key: run[5]! }, put(`${run[7]!}a`)])
    expect(nodes.leaves).toHaveLength(1)
  })

  test('go when a natural boundary takes their place, and merge when it is dropped', async () => {
    const middle = Array.from({ length: 100_000 }, (_, i) => `${run[8_191]}${i}`).find(
      (key) => trailingZeroBits(key) >= defaultShape.leafBits,
    )!
    const split = await editedTree([put(middle)])
    expect(leafLengths(split)).toEqual([8_192, 1, 8_192, 3_616])
    const early = Array.from({ length: 100_000 }, (_, i) => `${run[99]}${i}`).find(
      (key) => trailingZeroBits(key) >= defaultShape.leafBits,
    )!
    const cut = await editedTree([put(early)])
    expect(leafLengths(cut)).toEqual([101, 8_192, 8_192, 3_516])
    expect(await editedTree([{ key: early }], cut, contentsOf([...run, early]))).toEqual(base)
  })

  test('merge by drops, to one leaf and to none', async () => {
    const drop = (from: number, to: number): Edit<string>[] => run.slice(from, to).map((key) => ({ key }))
    expect(leafLengths(await editedTree(drop(8_000, 20_000)))).toEqual([8_000])
    expect(leafLengths(await editedTree(drop(8_192, 20_000)))).toEqual([8_192])
    expect(leafLengths(await editedTree(drop(0, 8_192)))).toEqual([8_192, 3_616])
    expect(leafLengths(await editedTree(drop(100, 16_000)))).toEqual([4_100])
    expect(await editTree(base, [drop(0, 20_000)], nodes, options)).toEqual(emptyTree)
  })

  test('come when a full leaf is followed by more', async () => {
    const full = run.slice(0, 8_192)
    const tree = await buildTree(contentsOf(full), nodes)
    const more = await editedTree([put(run[8_192]!)], tree, contentsOf(full))
    expect(leafLengths(more)).toEqual([8_192, 1])
    expect(nodes.opened).toEqual([])
    expect(await editedTree([{ key: run[8_192]! }], more, contentsOf(run.slice(0, 8_193)))).toEqual(tree)
  })
})

describe('very many edits within one leaf', () => {
  const edits: Edit<string>[] = [
    ...Array.from({ length: 50_000 }, (_, i) => ({ key: `a${100_000 + i}` })),
    ...Array.from({ length: 60_000 }, (_, i) => put(`b${100_000 + i}`))
      .filter(({ key }) => trailingZeroBits(key) < defaultShape.leafBits)
      .slice(0, 50_000),
  ]

  class WatchedNodes extends MemoryNodes {
    readonly ranges: number[] = []

    edit(range: EditRange<string>): undefined {
      this.ranges.push(range.edits.length)
    }
  }

  test.each<[string, string[], Edit<string>[]]>([
    ['drops and puts before its only entry', ['z'], edits],
    ['drops before its only entry', ['z'], edits.slice(0, 50_000)],
    ['drops and puts between its entries', ['a', 'a100007', 'a149999', 'b', 'c', 'z'], edits],
    ['puts', ['a', 'z'], edits.slice(50_000)],
  ])('come in ranges of few edits: %s', async (_, keys, some) => {
    const nodes = new WatchedNodes()
    const base = await buildTree(contentsOf(keys), nodes)
    nodes.forget()
    nodes.ranges.length = 0
    const tree = await editTree(base, [some], nodes, options)
    expect(tree).toEqual(plain(referenceTree(edited(contentsOf(keys), some), 'records', defaultShape)))
    expect(Math.max(...nodes.ranges)).toBeLessThanOrEqual(2 * defaultShape.leafEntriesMax)
    expect(nodes.reads).toEqual([base.root])
    expect(nodes.opened.length).toBe(tree.root === base.root ? 0 : 1)
  })
})

describe.skipIf(isFast)('in a tree of 1,000,000 entries', () => {
  const count = 1_000_000
  const keyOf = (i: number): string => `r${10_000_000 + i * 2}`
  const nodes = new MemoryNodes()
  let base: Tree

  beforeAll(async () => {
    function* batches(): Generator<Edit<string>[]> {
      for (let i = 0; i < count; i += 10_000) {
        yield Array.from({ length: 10_000 }, (_, j) => ({
          key: keyOf(i + j),
          put: { hash, size: 1, payload: '' },
        }))
      }
    }
    base = await editTree(emptyTree, batches(), nodes, options)
    nodes.change = () => {}
  })

  const { leafBits, leafEntriesMax } = defaultShape
  const isBoundary = (key: string): boolean => trailingZeroBits(key) >= leafBits
  /** Number of entries between the boundary before an index and the next one. */
  function entriesBetweenBoundaries(i: number): number {
    let [first, last] = [i, i]
    while (first > 0 && !isBoundary(keyOf(first - 1))) first--
    while (last < count - 1 && !isBoundary(keyOf(last))) last++
    return last - first + 1
  }

  test('one edit reads the path to its leaf and no more, and makes as many nodes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(count - 1), fc.constantFrom('replace', 'insert', 'drop'), async (i, what) => {
        nodes.forget()
        const key = what === 'insert' ? `${keyOf(i)}x` : keyOf(i)
        const edit = what === 'drop' ? { key } : put(key, 2)
        const tree = await editTree(base, [[edit]], nodes, options)
        // A boundary that appears or vanishes, or a leaf that ends because it is full, affects the next leaf too.
        const moved = what !== 'replace' && (isBoundary(key) || entriesBetweenBoundaries(i) >= leafEntriesMax)
        expect(tree.count).toBe(count + { replace: 0, insert: 1, drop: -1 }[what])
        if (moved) return
        expect(nodes.reads.length).toBeLessThanOrEqual(4)
        expect(nodes.opened).toHaveLength(1)
        expect(nodes.leaves).toEqual([{ hash: expect.any(String), replaces: nodes.opened[0] }])
        expect(nodes.interiors.length).toBeLessThanOrEqual(3)
      }),
      { numRuns: runs(60), examples: [[8504, 'drop']] },
    )
  })

  test('dropping a boundary reads the next leaf too', async () => {
    const boundaries = Array.from({ length: 100_000 }, (_, i) => keyOf(i)).filter(
      (key) => trailingZeroBits(key) >= 10,
    )
    // The boundary at index 9 precedes a forced split, which moves with it.
    for (const key of boundaries.slice(10, 30)) {
      nodes.forget()
      const dropped = await editTree(base, [[{ key }]], nodes, options)
      expect(nodes.opened).toHaveLength(2)
      expect(nodes.leaves).toHaveLength(1)
      expect(nodes.reads.length).toBeLessThanOrEqual(2 * 3 + 1)
      nodes.forget()
      const back = await editTree(dropped, [[{ key, put: { hash, size: 1, payload: '' } }]], nodes, options)
      expect(back).toEqual(base)
      expect(nodes.opened).toHaveLength(1)
    }
  })

  test('appending reads the last path only', async () => {
    nodes.forget()
    await editTree(base, [[put('s')]], nodes, options)
    expect(nodes.reads.length).toBeLessThanOrEqual(4)
    expect(nodes.opened.length).toBeLessThanOrEqual(1)
  })

  test('k scattered edits open about k leaves', async () => {
    nodes.forget()
    const edits = Array.from({ length: 100 }, (_, i) => put(keyOf(i * 10_000 + 17), 2))
    await editTree(base, [edits], nodes, options)
    expect(nodes.opened.length).toBeLessThanOrEqual(100)
    expect(nodes.leaves).toHaveLength(nodes.opened.length)
  })
})
