import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../../hash.ts'
import { runs } from '../../testing/runs.ts'
import { defaultShape, type TreeShape } from '../boundary.ts'
import { buildTree, type Changed, MemoryNodes } from '../memory-nodes.fixture.ts'
import { emptyTree, type LeafNode, noHash, type Tree, type TreeKind } from '../node.ts'
import {
  byBytes,
  type Contents,
  payloadOf,
  putEdits,
  referenceTree,
  sortedEntries,
} from '../reference-tree.fixture.ts'
import { anyContents, anyEdits, batches, edited, tinyShape } from '../tree-arbitraries.fixture.ts'
import { type EditedElsewhere, type EditPort, editTree } from './edit.ts'
import type { Edit } from './queue.ts'
import { type EditRange, editRange } from './range.ts'

const kinds = fc.constantFrom<TreeKind>('records', 'set')

function plain({ root, count, bytes }: Tree): Tree {
  return { root, count, bytes }
}

/** Contents of a tree, read from its nodes; also checks that every payload is beside its entry. */
function contentsOf(tree: Tree, nodes: MemoryNodes): Contents {
  const contents: Contents = new Map()
  for (const hash of nodes.reachable(tree)) {
    const node = nodes.nodes.get(hash)!
    if (node.kind === 'node') continue
    const body = nodes.bodies.get(hash)!
    expect(body).toHaveLength(node.keys.length)
    node.keys.forEach((key, i) => {
      contents.set(key, { hash: node.hashes[i] ?? noHash, size: node.sizes[i]! })
      if (node.tree === 'records') expect(body[i]).toBe(payloadOf(key, node.hashes[i]!))
      else expect(body[i]!.startsWith(`${key}=`)).toBe(true)
    })
  }
  return contents
}

function sameEntry(a: { hash: string; size: number } | undefined, b: typeof a, kind: TreeKind): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.size === b.size && (kind === 'set' || a.hash === b.hash)
}

/** Changes that `editTree` should report, computed from the contents alone. */
function expectedChanges(before: Contents, after: Contents, kind: TreeKind): unknown[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort(byBytes)
  const told = (entry: { hash: string; size: number } | undefined): unknown =>
    entry && { hash: kind === 'set' ? '' : entry.hash, size: entry.size }
  return keys
    .filter((key) => !sameEntry(before.get(key), after.get(key), kind))
    .map((key) => ({ key, before: told(before.get(key)), after: told(after.get(key)) }))
}

function withoutPayload({ key, before, after }: Changed): unknown {
  return {
    key,
    before: before && { hash: before.hash, size: before.size },
    after: after && { hash: after.hash, size: after.size },
  }
}

/** Edits `base` and checks all invariants of an edit. */
async function checkedEdit(
  base: Tree,
  contents: Contents,
  edits: Edit<string>[],
  nodes: MemoryNodes,
  options: { kind: TreeKind; shape: TreeShape; batch?: number },
): Promise<{ tree: Tree; contents: Contents }> {
  const { kind, shape } = options
  nodes.forget()
  const old = nodes.reachable(base)
  const tree = await editTree(base, batches(edits, options.batch ?? 7), nodes, options)
  const next = edited(contents, edits)
  expect(tree).toEqual(plain(referenceTree(next, kind, shape)))

  const now = nodes.reachable(tree)
  const made = [...nodes.leaves, ...nodes.interiors].map(({ hash }) => hash)
  for (const hash of made) expect(now).toContain(hash)
  for (const hash of now) expect(old.has(hash) || made.includes(hash)).toBe(true)
  expect(new Set(made).size).toBe(made.length)
  for (const { hash, replaces } of [...nodes.leaves, ...nodes.interiors]) {
    expect(replaces).not.toBe(hash)
    if (replaces !== undefined) expect(old).toContain(replaces)
  }

  expect(nodes.changes.map(withoutPayload)).toEqual(expectedChanges(contents, next, kind))
  for (const { key, before, after } of nodes.changes) {
    const previous = kind === 'set' ? contents.get(key)?.hash : before?.hash
    if (before && kind === 'records') expect(before.payload).toBe(payloadOf(key, previous!))
    if (after) expect(after.payload).toBe(payloadOf(key, next.get(key)!.hash))
  }
  const found = contentsOf(tree, nodes)
  expect([...found.keys()].sort(byBytes)).toEqual(sortedEntries(next).map(([key]) => key))
  for (const [key, entry] of found) expect(sameEntry(entry, next.get(key), kind)).toBe(true)
  expect(new Set(nodes.opened).size).toBe(nodes.opened.length)
  expect(new Set(nodes.reads).size).toBe(nodes.reads.length)
  return { tree, contents: next }
}

describe('editTree', () => {
  test('builds the reference tree from nothing, in any batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyContents,
        tinyShape,
        kinds,
        fc.integer({ min: 1, max: 99 }),
        async (contents, shape, kind, batch) => {
          const edits = putEdits(contents)
          await checkedEdit(emptyTree, new Map(), edits, new MemoryNodes(), { kind, shape, batch })
        },
      ),
      { numRuns: runs(100) },
    )
  })

  test('gives after any edits the tree that building from scratch gives', async () => {
    const rounds = fc.array(anyEdits, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyContents, rounds, tinyShape, kinds, async (contents, rounds, shape, kind) => {
        const nodes = new MemoryNodes()
        let state = { tree: await buildTree(contents, nodes, { kind, shape }), contents }
        for (const edits of rounds) {
          state = await checkedEdit(state.tree, state.contents, edits, nodes, { kind, shape })
        }
      }),
      { numRuns: runs(70) },
    )
  })

  test('gives one tree to the same entries in any order of arrival', async () => {
    const arrivals = anyContents.chain((contents) =>
      fc.tuple(fc.constant(contents), fc.shuffledSubarray([...contents], { minLength: contents.size })),
    )
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        fc.integer({ min: 1, max: 60 }),
        tinyShape,
        async ([contents, order], length, shape) => {
          const nodes = new MemoryNodes()
          let tree = emptyTree
          for (let i = 0; i < order.length; i += length) {
            const edits = putEdits(new Map(order.slice(i, i + length)))
            tree = await editTree(tree, [edits], nodes, { kind: 'records', shape })
          }
          expect(tree).toEqual(await buildTree(contents, nodes, { shape }))
        },
      ),
      { numRuns: runs(40) },
    )
  })

  test('gives after any single edit the tree that building from scratch gives', async () => {
    const single = anyEdits.map((edits) => edits.slice(0, 1))
    await fc.assert(
      fc.asyncProperty(anyContents, single, tinyShape, async (contents, edits, shape) => {
        const nodes = new MemoryNodes()
        const base = await buildTree(contents, nodes, { shape })
        await checkedEdit(base, contents, edits, nodes, { kind: 'records', shape })
      }),
      { numRuns: runs(100) },
    )
  })

  test('drops whole ranges: what remains is the tree of the rest', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, fc.nat(), fc.nat(), tinyShape, async (contents, from, length, shape) => {
        const nodes = new MemoryNodes()
        const base = await buildTree(contents, nodes, { shape })
        const keys = sortedEntries(contents).map(([key]) => key)
        const start = keys.length === 0 ? 0 : from % (keys.length + 1)
        const edits = keys.slice(start, start + (length % (keys.length + 1))).map((key) => ({ key }))
        await checkedEdit(base, contents, edits, nodes, { kind: 'records', shape })
        const rest = [...keys.slice(0, start), ...keys.slice(start + edits.length)].map((key) => ({ key }))
        await checkedEdit(base, contents, rest, nodes, { kind: 'records', shape })
        await checkedEdit(
          base,
          contents,
          keys.map((key) => ({ key })),
          nodes,
          { kind: 'records', shape },
        )
      }),
      { numRuns: runs(100) },
    )
  })

  test('edits that change nothing make no leaf and open no payloads', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyContents,
        tinyShape,
        fc.infiniteStream(fc.boolean()),
        async (contents, shape, coins) => {
          const nodes = new MemoryNodes()
          const base = await buildTree(contents, nodes, { shape })
          const drops = Array.from(
            { length: 60 },
            (_, i): Edit<string> => ({ key: `${['', 'k1', '\u{10ffff}x'][i % 3]}${i}none` }),
          )
          const edits = [...putEdits(contents), ...drops]
            .filter(() => coins.next().value)
            .sort((a, b) => byBytes(a.key, b.key))
          const { tree } = await checkedEdit(base, contents, edits, nodes, { kind: 'records', shape })
          expect(tree).toEqual(base)
          expect(nodes.opened).toEqual([])
          expect(nodes.leaves).toEqual([])
        },
      ),
      { numRuns: runs(100) },
    )
  })

  test('returns the tree as it is when there are no edits, reading nothing', async () => {
    const base: Tree = { root: hashText('absent'), count: 3, bytes: 4 }
    expect(await editTree(base, [], new MemoryNodes(), { kind: 'records' })).toBe(base)
    expect(await editTree(base, [[], []], new MemoryNodes(), { kind: 'records' })).toBe(base)
  })

  test('orders keys by UTF-8, not by UTF-16', async () => {
    const put = { hash: hashText('x'), size: 1, payload: '' }
    const [low, high] = ['\ufffd', '\u{1f600}']
    expect(low! < high!).toBe(false)
    const nodes = new MemoryNodes()
    await editTree(
      emptyTree,
      [
        [
          { key: low!, put },
          { key: high!, put },
        ],
      ],
      nodes,
      { kind: 'records' },
    )
    const wrong = editTree(
      emptyTree,
      [
        [
          { key: high!, put },
          { key: low!, put },
        ],
      ],
      nodes,
      { kind: 'records' },
    )
    await expect(wrong).rejects.toMatchObject({ code: 'edits_unsorted' })
  })
})

describe('editTree refuses', () => {
  const put = { hash: hashText('x'), size: 1, payload: '' }
  const options = { kind: 'records' } as const

  test.each<[string, Edit<string>[][]]>([
    [
      'unsorted edits',
      [
        [
          { key: 'b', put },
          { key: 'a', put },
        ],
      ],
    ],
    ['two edits of one key', [[{ key: 'a', put }, { key: 'a' }]]],
    ['edits unsorted between batches', [[{ key: 'b', put }], [{ key: 'a', put }]]],
  ])('%s', async (_, edits) => {
    const wrong = editTree(emptyTree, edits, new MemoryNodes(), options)
    await expect(wrong).rejects.toMatchObject({ code: 'edits_unsorted' })
  })

  test.each<[string, Edit<string>]>([
    ['a key with a lone surrogate', { key: 'a\ud800', put }],
    ['a negative size', { key: 'a', put: { ...put, size: -1 } }],
    ['a fractional size', { key: 'a', put: { ...put, size: 0.5 } }],
    ['an unsafe size', { key: 'a', put: { ...put, size: 2 ** 53 } }],
  ])('%s', async (_, edit) => {
    const wrong = editTree(emptyTree, [[edit]], new MemoryNodes(), options)
    await expect(wrong).rejects.toMatchObject({ code: 'entry_malformed' })
  })

  test('a leaf of another kind, a child at another level, payloads that do not match', async () => {
    const shape = { leafBits: 1, levelBits: 1, leafEntriesMax: 3, childrenMax: 3 }
    const nodes = new MemoryNodes()
    const contents: Contents = new Map(Array.from({ length: 40 }, (_, i) => [`${100 + i}`, put]))
    const set = await buildTree(new Map([['a', put]]), nodes, { kind: 'set' })
    const edit = [[{ key: '100', put: { ...put, size: 9 } }]]
    await expect(editTree(set, edit, nodes, options)).rejects.toMatchObject({ code: 'node_misplaced' })

    const base = await buildTree(contents, nodes, { shape })
    const root = nodes.nodes.get(base.root!)!
    const child = root.kind === 'node' ? root.children[0]! : base.root!
    nodes.nodes.set(child, root)
    await expect(editTree(base, edit, nodes, { ...options, shape })).rejects.toMatchObject({
      code: 'node_misplaced',
    })

    const single = await buildTree(new Map([['100', put]]), nodes, {})
    nodes.bodies.set(single.root!, [])
    await expect(editTree(single, edit, nodes, options)).rejects.toMatchObject({
      code: 'payloads_mismatched',
    })
  })

  test('and lets go of its source of edits, passing on what a port rejects with', async () => {
    let closed = false
    async function* source(): AsyncGenerator<Edit<string>[]> {
      try {
        yield [{ key: 'a', put }]
        yield [{ key: 'b', put }]
      } finally {
        closed = true
      }
    }
    const nodes = new MemoryNodes()
    nodes.change = () => {
      throw new Error('The disk is full.')
    }
    await expect(editTree(emptyTree, source(), nodes, options)).rejects.toThrow('The disk is full.')
    expect(closed).toBe(true)
  })
})

test('calls to the port come one after the other, however long they take', async () => {
  class SlowNodes extends MemoryNodes {
    busy = 0
    async slowly<T>(work: () => T | Promise<T>): Promise<T> {
      expect(++this.busy).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      const result = await work()
      this.busy--
      return result
    }
    override node(...made: Parameters<MemoryNodes['node']>) {
      return this.slowly(() => super.node(...made))
    }
    override payloads(...made: Parameters<MemoryNodes['payloads']>) {
      return this.slowly(() => super.payloads(...made))
    }
    override leaf(...made: Parameters<MemoryNodes['leaf']>) {
      return this.slowly(() => super.leaf(...made))
    }
    override interior(...made: Parameters<MemoryNodes['interior']>) {
      return this.slowly(() => super.interior(...made))
    }
    override change(...made: Parameters<MemoryNodes['change']>) {
      return this.slowly(() => super.change(...made))
    }
  }
  await fc.assert(
    fc.asyncProperty(anyContents, anyEdits, tinyShape, async (contents, edits, shape) => {
      const nodes = new SlowNodes()
      const base = await buildTree(contents, nodes, { shape })
      await checkedEdit(base, contents, edits, nodes, { kind: 'records', shape })
    }),
    { numRuns: runs(20) },
  )
})

describe('ranges that are edited elsewhere', () => {
  /** Edits ranges as another thread would: concurrently, completed in any order, from copies. */
  class ElsewhereNodes extends MemoryNodes {
    readonly #shape: TreeShape
    readonly #takes: (range: EditRange<string>) => boolean

    constructor(shape: TreeShape, takes: (range: EditRange<string>) => boolean) {
      super()
      this.#shape = shape
      this.#takes = takes
    }

    edit(range: EditRange<string>): Promise<EditedElsewhere> | undefined {
      expect(range.edits.length).toBeLessThanOrEqual(2 * this.#shape.leafEntriesMax + 1)
      if (range.goesOn || !range.ends || !this.#takes(range)) return undefined
      return this.#edit(structuredClone(range))
    }

    async #edit(range: EditRange<string>): Promise<EditedElsewhere> {
      for (let wait = range.edits.length % 5; wait > 0; wait--)
        await new Promise((done) => setImmediate(done))
      const opened = range.leaves.map(({ hash }) => {
        const leaf = this.nodes.get(hash) as LeafNode
        return { hash, leaf, payloads: this.bodies.get(hash)! }
      })
      const { leaves, changes } = editRange(range, opened, { kind: 'records', shape: this.#shape })
      return {
        leaves: leaves.map(({ made, ...leaf }) => leaf),
        keep: async () => {
          for (const change of changes) this.change(change)
          for (const { made } of leaves) if (made !== undefined) this.leaf(made)
        },
      }
    }
  }

  test.each<[string, (range: EditRange<string>) => boolean]>([
    ['all of them', () => true],
    ['some of them', ({ edits }) => edits.length % 2 === 0],
  ])('give the tree that building from scratch gives: %s', async (_, takes) => {
    await fc.assert(
      fc.asyncProperty(anyContents, anyEdits, tinyShape, async (contents, edits, shape) => {
        const nodes = new ElsewhereNodes(shape, takes)
        const base = await buildTree(contents, nodes, { shape })
        await checkedEdit(base, contents, edits, nodes, { kind: 'records', shape })
      }),
      { numRuns: runs(60) },
    )
  })

  test('give that tree after many rounds of edits', async () => {
    const rounds = fc.array(anyEdits, { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyContents, rounds, tinyShape, async (contents, rounds, shape) => {
        const nodes = new ElsewhereNodes(shape, () => true)
        let state = { tree: await buildTree(contents, nodes, { shape }), contents }
        for (const edits of rounds) {
          state = await checkedEdit(state.tree, state.contents, edits, nodes, { kind: 'records', shape })
        }
      }),
      { numRuns: runs(30) },
    )
  })

  test('are waited for when one of them fails, and what it fails with is passed on', async () => {
    let underWay = 0
    const nodes = new MemoryNodes()
    const shape = { leafBits: 1, levelBits: 1, leafEntriesMax: 4, childrenMax: 4 }
    const port: EditPort<string> = Object.assign(nodes, {
      async edit({ edits }: EditRange<string>): Promise<EditedElsewhere> {
        underWay++
        await new Promise((done) => setTimeout(done, edits.length))
        underWay--
        throw new Error('The thread is gone.')
      },
    })
    const contents = new Map(
      Array.from({ length: 40 }, (_, i) => [`${100 + i}`, { hash: hashText('x'), size: 1 }]),
    )
    await expect(editTree(emptyTree, [putEdits(contents)], port, { kind: 'records', shape })).rejects.toThrow(
      'The thread is gone.',
    )
    expect(underWay).toBe(0)
  })

  test('are not held while they are', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const begun: WeakRef<object>[] = []
    const { promise: isDone, resolve: done } = Promise.withResolvers<EditedElsewhere>()
    const port: EditPort<string> = Object.assign(new MemoryNodes(), {
      edit({ edits }: EditRange<string>) {
        begun.push(...edits.map((edit) => new WeakRef(edit)))
        return isDone
      },
    })
    const shape = { leafBits: 1, levelBits: 1, leafEntriesMax: 4, childrenMax: 4 }
    function* some() {
      for (let i = 100; i < 200; i++)
        yield [{ key: `${i}`, put: { hash: hashText('x'), size: 1, payload: '' } }]
    }
    const edited = editTree(emptyTree, some(), port, { kind: 'records', shape })
    await new Promise((resolve) => setTimeout(resolve, 50))
    collect()
    const [count, held] = [begun.length, begun.filter((edit) => edit.deref() !== undefined).length]
    done({ leaves: [], keep: async () => undefined })
    await edited
    expect(count).toBeGreaterThan(8)
    // Edits of the next range are loaded too.
    expect(held).toBeLessThan(count / 2)
  })
})

test('the default shape is the stored one', async () => {
  expect(defaultShape).toEqual({ leafBits: 10, levelBits: 6, leafEntriesMax: 8_192, childrenMax: 1_024 })
})
