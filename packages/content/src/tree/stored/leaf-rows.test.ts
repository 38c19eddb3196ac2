import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareUtf8, hashText } from '../../hash.ts'
import { encodeNode, type LeafNode, type TreeNode } from '../node.ts'
import { entryIn } from '../read.ts'
import { LeafRows, leafChanges } from './leaf-rows.ts'

/** Keys full of characters that delimit JSON and rows. */
const anyKey = fc.oneof(
  fc
    .array(fc.constantFrom('"', '\\', ',', '[', ']', '1', 'k', 'ü', '😀', '\n', '","', '],["'), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
)
const anySize = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 2 ** 40 }))
const anyEntries = fc.dictionary(anyKey, fc.tuple(fc.integer({ min: 0, max: 3 }), anySize), {
  minKeys: 1,
  maxKeys: 90,
  noNullPrototype: true,
})

type Entries = Record<string, [number, number]>

function leafIn(entries: Entries): LeafNode {
  const keys = Object.keys(entries).sort(compareUtf8)
  return {
    kind: 'leaf',
    tree: 'records',
    keys,
    hashes: keys.map((key) => hashText(`${entries[key]![0]}`)),
    sizes: keys.map((key) => entries[key]![1]),
  }
}

function rowsOf(leaf: TreeNode, lastKey = leaf.kind === 'leaf' ? leaf.keys.at(-1)! : leaf.lastKeys.at(-1)!) {
  const text = encodeNode(leaf)
  return new LeafRows(
    { hash: hashText(text), lastKey },
    Buffer.from(`before${text}`).subarray('before'.length),
  )
}

describe('LeafRows', () => {
  test('has every row of a leaf, whatever its keys are', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const leaf = leafIn(entries)
        const rows = rowsOf(leaf)
        expect(Array.from({ length: rows.length }, (_, row) => rows.at(row))).toEqual(
          leaf.keys.map((key, index) => ({
            key,
            hash: leaf.hashes[index],
            size: leaf.sizes[index],
            leaf: rows.leaf,
            index,
          })),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('finds what is there and nothing else', () => {
    fc.assert(
      fc.property(anyEntries, fc.array(anyKey), (entries, others) => {
        const leaf = leafIn(entries)
        const rows = rowsOf(leaf)
        for (const key of [...leaf.keys, ...others])
          expect(rows.find(key)).toEqual(entryIn(rows.leaf, leaf, key))
      }),
    )
  })

  test.each<[string, TreeNode]>([
    ['a leaf with another last key', leafIn({ a: [1, 1], c: [1, 1] })],
    ['a leaf of a set', { kind: 'leaf', tree: 'set', keys: ['b'], hashes: [], sizes: [1] }],
    [
      'an interior node',
      { kind: 'node', level: 1, lastKeys: ['b'], children: [hashText('b')], counts: [1], bytes: [1] },
    ],
  ])('refuses what is not what its parent says: %s', (_, node) => {
    expect(() => rowsOf(node, 'b')).toThrow(expect.objectContaining({ code: 'node_misplaced' }))
  })

  test('refuses a leaf that is cut short', () => {
    const text = encodeNode(leafIn({ a: [1, 12], b: [2, 3] }))
    for (let end = 0; end < text.length; end++) {
      const bytes = Buffer.from(text.slice(0, end))
      expect(() => new LeafRows({ hash: hashText(text), lastKey: 'b' }, bytes)).toThrow(
        expect.objectContaining({ code: 'node_misplaced' }),
      )
    }
  })
})

describe('leafChanges', () => {
  test('tells what two leaves do not hold alike, in order, and where both sides lie', () => {
    fc.assert(
      fc.property(anyEntries, anyEntries, fc.boolean(), (entries, others, isAlike) => {
        const next = isAlike ? { ...entries, ...others } : others
        const [before, after] = [rowsOf(leafIn(entries)), rowsOf(leafIn(next))]
        const differing = Object.keys({ ...entries, ...next })
          .filter((key) => `${entries[key]}` !== `${next[key]}`)
          .sort(compareUtf8)
        expect(leafChanges(before, after)).toEqual(
          differing.map((key) => ({
            key,
            ...(Object.hasOwn(entries, key) && { before: before.find(key) }),
            ...(Object.hasOwn(next, key) && { after: after.find(key) }),
          })),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('finds a change anywhere in a leaf', () => {
    const entries: Entries = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`k${n + 100}`, [n, n]]))
    const before = rowsOf(leafIn(entries))
    expect(leafChanges(before, rowsOf(leafIn(entries)))).toEqual([])
    for (const key of Object.keys(entries)) {
      const after = rowsOf(leafIn({ ...entries, [key]: [0, 1_000] }))
      expect(leafChanges(before, after)).toEqual([{ key, before: before.find(key), after: after.find(key) }])
    }
  })
})
