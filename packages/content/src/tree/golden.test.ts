/**
 * Roots that no change of code may alter, because all stored digests depend on them: the implementation and the naive reference
 * are both compared with packages/content/golden/trees.json.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { defaultShape, trailingZeroBits } from './boundary.ts'
import { buildTree, MemoryNodes } from './memory-nodes.fixture.ts'
import type { Tree, TreeKind } from './node.ts'
import { type Contents, referenceTree } from './reference-tree.fixture.ts'

type Golden = Record<string, Tree & { says: string; nodes: number }>

const golden = JSON.parse(readFileSync(new URL('../../golden/trees.json', import.meta.url), 'utf8')) as Golden

/** Every entry: hash = SHA-256 of "value of <key>", size = the key's UTF-16 length. */
const contentsOf = (keys: Iterable<string>): Contents =>
  new Map([...keys].map((key) => [key, { hash: hashText(`value of ${key}`), size: key.length }]))

const numbered = (head: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${head}${i}`)

const sets: Record<string, { kind: TreeKind; keys: () => string[] }> = {
  empty: { kind: 'records', keys: () => [] },
  single: { kind: 'records', keys: () => ['only'] },
  numbered: { kind: 'records', keys: () => numbered('k', 100_000) },
  unicode: {
    kind: 'records',
    keys: () =>
      [
        '"',
        '\\',
        '\u0000',
        '\u001f',
        '\u007f',
        'é',
        '\u2028',
        '\ud7ff',
        '\ue000',
        '\ufffd',
        '\uffff',
        '\u{10000}',
        '\u{1f600}',
        '\u{10ffff}',
      ].flatMap((head) => numbered(head, 1_000)),
  },
  forced: {
    kind: 'records',
    keys: () => numbered('k', 40_000).filter((key) => trailingZeroBits(key) < defaultShape.leafBits),
  },
  files: { kind: 'set', keys: () => numbered('file ', 20_000).map((name) => hashText(name)) },
}

test('the golden file names the sets of this test', () => {
  expect(Object.keys(golden)).toEqual(Object.keys(sets))
})

test.each(Object.entries(sets))('%s has its golden root', async (name, { kind, keys }) => {
  const contents = contentsOf(keys())
  const { root, count, bytes, nodes } = golden[name]!
  expect(referenceTree(contents, kind, defaultShape)).toEqual({ root, count, bytes, nodes })
  const store = new MemoryNodes()
  expect(await buildTree(contents, store, { kind })).toEqual({ root, count, bytes })
  expect(store.leaves.length + store.interiors.length).toBe(nodes)
})
