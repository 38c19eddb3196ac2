import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { runs } from '../testing/runs.ts'
import type { TreeShape } from './boundary.ts'
import { buildTree, MemoryNodes } from './memory-nodes.fixture.ts'
import { type Child, emptyTree, levelOf, type Tree } from './node.ts'
import { countThrough, entryIn, findEntry, findLeaf, nameLeaves, walkLeaves } from './read.ts'
import { byBytes, type Contents, sortedEntries } from './reference-tree.fixture.ts'
import { anyContents, anyKey, tinyShape } from './tree-arbitraries.fixture.ts'

async function grown(
  contents: Contents,
  shape: TreeShape,
): Promise<{ nodes: MemoryNodes; tree: Tree; height: number }> {
  const nodes = new MemoryNodes()
  const tree = await buildTree(contents, nodes, { shape })
  const height = tree.root === null ? 0 : levelOf(nodes.nodes.get(tree.root)!) + 1
  nodes.forget()
  return { nodes, tree, height }
}

async function walked(tree: Tree, nodes: MemoryNodes, after?: string): Promise<[string, string, number][]> {
  const found: [string, string, number][] = []
  for await (const { hash, leaf, start } of walkLeaves(tree, nodes, { after })) {
    expect(nodes.nodes.get(hash)).toBe(leaf)
    expect(start).toBeLessThan(leaf.keys.length)
    for (let i = start; i < leaf.keys.length; i++)
      found.push([leaf.keys[i]!, leaf.hashes[i]!, leaf.sizes[i]!])
  }
  return found
}

test('findEntry finds what is there, where it says, reading one node a level', async () => {
  await fc.assert(
    fc.asyncProperty(anyContents, fc.array(anyKey), tinyShape, async (contents, others, shape) => {
      const { nodes, tree, height } = await grown(contents, shape)
      for (const key of [...others, ...contents.keys()]) {
        nodes.forget()
        const found = await findEntry(tree, key, nodes)
        expect(nodes.reads.length).toBeLessThanOrEqual(height)
        expect(found && { hash: found.hash, size: found.size }).toEqual(contents.get(key))
        if (found === undefined) continue
        expect(found.key).toBe(key)
        expect(nodes.nodes.get(found.leaf)).toMatchObject({ kind: 'leaf' })
        const leaf = nodes.nodes.get(found.leaf)!
        expect(leaf.kind === 'leaf' && leaf.keys[found.index]).toBe(key)
      }
    }),
    { numRuns: runs(50) },
  )
})

test('findLeaf names the leaf in which findEntry finds, without reading it', async () => {
  await fc.assert(
    fc.asyncProperty(anyContents, fc.array(anyKey), tinyShape, async (contents, others, shape) => {
      const { nodes, tree, height } = await grown(contents, shape)
      for (const key of [...others, ...contents.keys()]) {
        nodes.forget()
        const found = await findLeaf(tree, key, nodes)
        expect(nodes.reads.length).toBeLessThanOrEqual(Math.max(1, height - 1))
        const entry = await findEntry(tree, key, nodes)
        if (found === undefined) {
          expect(entry).toBeUndefined()
          continue
        }
        const leaf = nodes.nodes.get(found.hash)!
        if (leaf.kind !== 'leaf') throw new Error('not a leaf')
        expect(found).toEqual({
          hash: found.hash,
          lastKey: leaf.keys.at(-1),
          count: leaf.keys.length,
          bytes: leaf.sizes.reduce((sum, size) => sum + size, 0),
        })
        expect(entryIn(found.hash, leaf, key)).toEqual(entry)
      }
    }),
    { numRuns: runs(50) },
  )
})

test('walkLeaves yields every entry after any key, in order, reading nothing before it', async () => {
  await fc.assert(
    fc.asyncProperty(anyContents, anyKey, fc.nat(), tinyShape, async (contents, other, pick, shape) => {
      const { nodes, tree, height } = await grown(contents, shape)
      const entries = sortedEntries(contents).map(([key, { hash, size }]) => [key, hash, size])
      expect(await walked(tree, nodes)).toEqual(entries)
      expect(nodes.reads.length).toBe(nodes.reachable(tree).size)
      const held = entries[pick % Math.max(entries.length, 1)]
      for (const after of ['', other, held === undefined ? other : String(held[0])]) {
        nodes.forget()
        const expected = entries.filter(([key]) => byBytes(String(key), after) > 0)
        expect(await walked(tree, nodes, after)).toEqual(expected)
        const needed = [...nodes.reads].filter((hash) => {
          const node = nodes.nodes.get(hash)!
          const last = node.kind === 'leaf' ? node.keys.at(-1)! : node.lastKeys.at(-1)!
          return byBytes(last, after) > 0
        })
        expect(nodes.reads.length - needed.length).toBeLessThanOrEqual(expected.length === 0 ? height : 0)
      }
    }),
    { numRuns: runs(100) },
  )
})

test('walkLeaves reads a leaf when its turn comes, not sooner', async () => {
  const contents: Contents = new Map(
    Array.from({ length: 200 }, (_, i) => [`k${i}`, { hash: hashText(''), size: 0 }]),
  )
  const shape = { leafBits: 2, levelBits: 1, leafEntriesMax: 8, childrenMax: 4 }
  const { nodes, tree, height } = await grown(contents, shape)
  const walk = walkLeaves(tree, nodes)
  await walk.next()
  expect(nodes.reads.length).toBe(height)
  await walk.return(undefined)
})

test('countThrough counts what a scan counts, reading at most one node a level', async () => {
  await fc.assert(
    fc.asyncProperty(anyContents, fc.array(anyKey), tinyShape, async (contents, others, shape) => {
      const { nodes, tree, height } = await grown(contents, shape)
      const keys = sortedEntries(contents).map(([key]) => key)
      for (const key of ['', ...others, ...keys]) {
        nodes.forget()
        const count = keys.filter((k) => byBytes(k, key) <= 0).length
        expect(await countThrough(tree, key, nodes)).toBe(count)
        expect(nodes.reads.length).toBeLessThanOrEqual(height)
      }
    }),
    { numRuns: runs(50) },
  )
})

describe('an empty tree', () => {
  test('has no entry, no leaf and no count', async () => {
    const nodes = new MemoryNodes()
    expect(await findEntry(emptyTree, 'k', nodes)).toBeUndefined()
    expect(await walked(emptyTree, nodes)).toEqual([])
    expect(await countThrough(emptyTree, 'k', nodes)).toBe(0)
  })
})

test('a node that is not the one its parent promised is refused', async () => {
  const contents: Contents = new Map(
    Array.from({ length: 50 }, (_, i) => [`${100 + i}`, { hash: hashText(''), size: 0 }]),
  )
  const { nodes, tree } = await grown(contents, {
    leafBits: 2,
    levelBits: 1,
    leafEntriesMax: 4,
    childrenMax: 4,
  })
  const root = nodes.nodes.get(tree.root!)!
  if (root.kind !== 'node') throw new Error('The tree is too small for this test.')
  const [first, second] = root.children
  const swapped = new Map(nodes.nodes)
  nodes.nodes.set(first!, swapped.get(second!)!)
  await expect(findEntry(tree, '100', nodes)).rejects.toMatchObject({ code: 'node_misplaced' })
  nodes.nodes.set(first!, root)
  await expect(walked(tree, nodes)).rejects.toMatchObject({ code: 'node_misplaced' })
})

test('nameLeaves names the leaves that a walk meets, without reading them', async () => {
  await fc.assert(
    fc.asyncProperty(anyContents, anyKey, tinyShape, async (contents, other, shape) => {
      const { nodes, tree, height } = await grown(contents, shape)
      for (const after of [undefined, other, ...[...contents.keys()].slice(0, 3)]) {
        const met: Child[] = []
        for await (const { hash, leaf } of walkLeaves(tree, nodes, { after }))
          met.push({
            hash,
            lastKey: leaf.keys.at(-1)!,
            count: leaf.keys.length,
            bytes: leaf.sizes.reduce((sum, size) => sum + size, 0),
          })
        nodes.forget()
        const named = await Array.fromAsync(nameLeaves(tree, nodes, { after }))
        expect(named.flat()).toEqual(met)
        const read = nodes.reads.map((hash) => nodes.nodes.get(hash)!.kind)
        expect(read.includes('leaf')).toBe(height === 1)
      }
    }),
    { numRuns: runs(50) },
  )
})
