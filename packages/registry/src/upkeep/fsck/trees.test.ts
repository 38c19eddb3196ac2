import {
  encodeNode,
  type Hash,
  hashText,
  type InteriorNode,
  type LeafNode,
  leafBodyOf,
  recordOf,
} from '@ulmus/content'
import type { ObjectReader } from '@ulmus/storage'
import { expect, test } from 'vitest'
import { Damages } from './damage.ts'
import { TreeCheck } from './trees.ts'

test('however many levels a tree has, a few bodies are read at once', async () => {
  const plains = new Map<Hash, Uint8Array>()
  const bodies = new Map<Hash, Uint8Array>()
  interface Built {
    hash: Hash
    lastKey: string
    count: number
    bytes: number
  }
  const keep = (node: LeafNode | InteriorNode): Hash => {
    const text = encodeNode(node)
    plains.set(hashText(text), Buffer.from(text))
    return hashText(text)
  }
  const leafOf = (lastKey: string): Built => {
    const { hash: record, size, canonical } = recordOf(lastKey, 'Item', {})
    const hash = keep({ kind: 'leaf', tree: 'records', keys: [lastKey], hashes: [record], sizes: [size] })
    bodies.set(hash, leafBodyOf([Buffer.from(canonical)]))
    return { hash, lastKey, count: 1, bytes: size }
  }
  const above = (level: number, below: readonly Built[]): Built => {
    const counts = below.map(({ count }) => count)
    const bytes = below.map(({ bytes }) => bytes)
    const lastKeys = below.map(({ lastKey }) => lastKey)
    const children = below.map(({ hash }) => hash)
    const hash = keep({ kind: 'node', level, lastKeys, children, counts, bytes })
    const sum = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
    return { hash, lastKey: lastKeys.at(-1)!, count: sum(counts), bytes: sum(bytes) }
  }
  // Nodes end earlier than they should; that is reported and does not matter here.
  let level: Built[] = Array.from({ length: 125 }, (_, n) => leafOf(String(n).padStart(3, '0')))
  for (let height = 1; height <= 3; height++) {
    level = Array.from({ length: level.length / 5 }, (_, n) => above(height, level.slice(n * 5, n * 5 + 5)))
  }

  let reading = 0
  let most = 0
  const objects = {
    plain: async (hash: Hash) => plains.get(hash)!,
    async body(hash: Hash) {
      most = Math.max(most, ++reading)
      await new Promise((resolve) => setTimeout(resolve, 1))
      reading--
      return bodies.get(hash)!
    },
  } as ObjectReader
  const told: string[] = []
  const trees = new TreeCheck(objects, new Damages(({ why }) => told.push(why)), async () => undefined)
  const [root] = level
  await trees.check({ root: root!.hash, count: root!.count, bytes: root!.bytes }, { type: 'Item' }, 'version')
  expect(trees.records).toBe(125)
  expect(told.filter((why) => !why.includes('where no node of its level ends'))).toEqual([])
  expect(most).toBe(4)
})
