import { type Hash, hashText, type InteriorNode, type TreeNode } from '@ulmus/content'
import { expect, test } from 'vitest'
import { type BuildIo, recordPort } from './tree-ports.ts'

const interior = (level: number): InteriorNode => ({
  ...{ kind: 'node', level, lastKeys: ['a', 'b'], counts: [1, 1], bytes: [1, 1] },
  children: [hashText(`a ${level}`), hashText(`b ${level}`)],
})

test.each([
  ['are looked up together where edits lie close', true, [interior(1).children]],
  ['are looked up one by one where they do not', false, []],
])('leaves under a node %s', async (_, isDense, expected) => {
  const asked: Hash[][] = []
  const nodes = new Map<Hash, TreeNode>([1, 2].map((level) => [hashText(`${level}`), interior(level)]))
  const objects = {
    node: async (hash: Hash) => nodes.get(hash),
    prefetch: async (leaves: Hash[]) => void asked.push(leaves),
  }
  const notes = { count: () => undefined, referring: () => undefined }
  const port = recordPort({ objects } as unknown as BuildIo, notes, { isDense })
  for (const [hash, node] of nodes) expect(await port.node(hash)).toBe(node)
  expect(asked).toEqual(expected)
})
