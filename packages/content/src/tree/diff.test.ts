import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Hash, hashText } from '../hash.ts'
import { isFast, runs } from '../testing/runs.ts'
import { defaultShape } from './boundary.ts'
import { diffTrees, type TreeChange } from './diff.ts'
import { editTree } from './edit/edit.ts'
import type { Edit } from './edit/queue.ts'
import { buildTree, MemoryNodes } from './memory-nodes.fixture.ts'
import { type Child, emptyTree, type Tree, type TreeNode } from './node.ts'
import { findEntry } from './read.ts'
import { byBytes, type Contents } from './reference-tree.fixture.ts'
import { anyContents, anyEdits, anyKey, edited, tinyShape } from './tree-arbitraries.fixture.ts'

async function diffed(before: Tree, after: Tree, nodes: MemoryNodes, from?: string): Promise<TreeChange[]> {
  const changes: TreeChange[] = []
  for await (const change of diffTrees(before, after, nodes, { after: from })) changes.push(change)
  return changes
}

/** Keys whose entries differ between the contents, in order. */
function differing(before: Contents, after: Contents): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => {
      const [a, b] = [before.get(key), after.get(key)]
      return a?.hash !== b?.hash || a?.size !== b?.size
    })
    .sort(byBytes)
}

const asEdits = (changes: TreeChange[]): Edit<string>[] =>
  changes.map(({ key, after }) => ({
    key,
    put: after && { hash: after.hash, size: after.size, payload: '' },
  }))

describe('diffTrees', () => {
  test('finds every difference between any two trees, in order, and where both sides lie', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, anyContents, tinyShape, async (left, right, shape) => {
        const nodes = new MemoryNodes()
        const before = await buildTree(left, nodes, { shape })
        const after = await buildTree(right, nodes, { shape })
        const changes = await diffed(before, after, nodes)
        expect(changes.map(({ key }) => key)).toEqual(differing(left, right))
        for (const change of changes) {
          expect(change.before).toEqual(await findEntry(before, change.key, nodes))
          expect(change.after).toEqual(await findEntry(after, change.key, nodes))
        }
      }),
      { numRuns: runs(80) },
    )
  })

  test('finds the same where some leaves are compared elsewhere, some at once, from any key on', async () => {
    class ElsewhereNodes extends MemoryNodes {
      compareLeaves(before: Child, after: Child): Promise<TreeChange[]> | undefined {
        return after.count % 5 === 0 ? undefined : this.#compare(before, after)
      }

      async #compare(before: Child, after: Child): Promise<TreeChange[]> {
        for (let wait = after.count % 4; wait > 0; wait--) await new Promise((done) => setImmediate(done))
        const leafOf = ({ hash, count, bytes }: Child) => ({ root: hash, count, bytes })
        return diffed(leafOf(before), leafOf(after), this)
      }
    }
    const keys = fc.option(anyKey, { nil: undefined })
    await fc.assert(
      fc.asyncProperty(anyContents, anyEdits, tinyShape, keys, async (contents, edits, shape, from) => {
        const [here, elsewhere] = [new MemoryNodes(), new ElsewhereNodes()]
        const differences: TreeChange[][] = []
        for (const nodes of [here, elsewhere]) {
          const before = await buildTree(contents, nodes, { shape })
          const after = await editTree(before, [edits], nodes, { kind: 'records', shape })
          differences.push(await diffed(before, after, nodes, from), await diffed(after, before, nodes, from))
        }
        expect(differences.slice(2)).toEqual(differences.slice(0, 2))
      }),
      { numRuns: runs(80) },
    )
  })

  test('gives edits that make either tree of the other', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, anyEdits, tinyShape, async (contents, edits, shape) => {
        const nodes = new MemoryNodes()
        const options = { kind: 'records', shape } as const
        const before = await buildTree(contents, nodes, { shape })
        const after = await editTree(before, [edits], nodes, options)
        const forth = asEdits(await diffed(before, after, nodes))
        const back = asEdits(await diffed(after, before, nodes))
        expect(await editTree(before, [forth], nodes, options)).toEqual(after)
        expect(await editTree(after, [back], nodes, options)).toEqual(before)
      }),
      { numRuns: runs(100) },
    )
  })

  test('tells of every leaf that the trees do not share before it is come to', async () => {
    class ToldNodes extends MemoryNodes {
      readonly told = new Set<Hash>()
      readonly untold = new Set<Hash>()

      async prefetch(leaves: readonly Hash[]): Promise<void> {
        await new Promise((done) => setImmediate(done))
        for (const leaf of leaves) this.told.add(leaf)
      }

      override node(hash: Hash): Promise<TreeNode> {
        if (this.nodes.get(hash)?.kind === 'leaf' && !this.told.has(hash)) this.untold.add(hash)
        return super.node(hash)
      }
    }
    const keys = fc.option(anyKey, { nil: undefined })
    await fc.assert(
      fc.asyncProperty(anyContents, anyEdits, tinyShape, keys, async (contents, edits, shape, from) => {
        const nodes = new ToldNodes()
        const before = await buildTree(contents, nodes, { shape })
        const after = await editTree(before, [edits], nodes, { kind: 'records', shape })
        nodes.untold.clear()
        await diffed(before, after, nodes, from)
        const [old, next] = [nodes.reachable(before), nodes.reachable(after)]
        for (const hash of nodes.untold)
          expect((old.has(hash) && next.has(hash)) || hash === before.root || hash === after.root).toBe(true)
      }),
      { numRuns: runs(100) },
    )
  })

  test('reads each node at most once on each side', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, anyEdits, tinyShape, async (contents, edits, shape) => {
        const nodes = new MemoryNodes()
        const before = await buildTree(contents, nodes, { shape })
        const after = await editTree(before, [edits], nodes, { kind: 'records', shape })
        nodes.forget()
        await diffed(before, after, nodes)
        const [old, next] = [nodes.reachable(before), nodes.reachable(after)]
        for (const hash of new Set(nodes.reads)) {
          const sides = Number(old.has(hash)) + Number(next.has(hash))
          expect(nodes.reads.filter((read) => read === hash).length).toBeLessThanOrEqual(sides)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test('resumes after any key with what is left', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, anyEdits, anyKey, tinyShape, async (contents, edits, other, shape) => {
        const nodes = new MemoryNodes()
        const before = await buildTree(contents, nodes, { shape })
        const after = await buildTree(edited(contents, edits), nodes, { shape })
        const all = await diffed(before, after, nodes)
        for (const from of [other, ...all.map(({ key }) => key)]) {
          const rest = all.filter(({ key }) => byBytes(key, from) > 0)
          expect(await diffed(before, after, nodes, from)).toEqual(rest)
        }
      }),
      { numRuns: runs(60) },
    )
  })

  test('reads nothing of equal trees, and one side only against an empty one', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, tinyShape, async (contents, shape) => {
        const nodes = new MemoryNodes()
        const tree = await buildTree(contents, nodes, { shape })
        nodes.forget()
        expect(await diffed(tree, tree, nodes)).toEqual([])
        expect(nodes.reads).toEqual([])
        const added = await diffed(emptyTree, tree, nodes)
        expect(added.every(({ before, after }) => before === undefined && after !== undefined)).toBe(true)
        expect(added.length).toBe(contents.size)
        expect(nodes.reads.length).toBe(nodes.reachable(tree).size)
        const dropped = await diffed(tree, emptyTree, nodes)
        expect(dropped.map(({ before }) => before)).toEqual(added.map(({ after }) => after))
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('diffTrees between versions of 200,000 entries', () => {
  const hash = hashText('some record')
  const keyOf = (i: number): string => `r${1_000_000 + i}`
  const contents: Contents = new Map(Array.from({ length: 200_000 }, (_, i) => [keyOf(i), { hash, size: 1 }]))

  test('reads a few nodes for each difference', async ({ skip }) => {
    skip(isFast)
    const nodes = new MemoryNodes()
    const before = await buildTree(contents, nodes, { shape: defaultShape })
    for (const count of [1, 5, 20]) {
      const edits = Array.from({ length: count }, (_, i): Edit<string> => {
        const key = keyOf(7 + i * 9_000)
        const put = { hash, size: 2, payload: '' }
        return i % 3 === 0 ? { key } : { key: i % 3 === 1 ? key : `${key}x`, put }
      })
      const after = await editTree(before, [edits], nodes, { kind: 'records' })
      nodes.forget()
      expect((await diffed(before, after, nodes)).map(({ key }) => key)).toEqual(edits.map(({ key }) => key))
      // For each edit: two sides, a leaf and at most its two ancestors; and the roots.
      expect(nodes.reads.length).toBeLessThanOrEqual(2 + 2 * 3 * count)
    }
  })
})
