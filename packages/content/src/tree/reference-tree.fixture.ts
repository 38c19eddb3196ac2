/** For the tests of this folder: contents of trees, and a naive reference that the real implementation must match. */
import { type Hash, hashText } from '../hash.ts'
import type { TreeShape } from './boundary.ts'
import type { Edit } from './edit/queue.ts'
import type { Tree, TreeKind } from './node.ts'

/** A recognisable payload: tests check that each stays with its entry. */
export const payloadOf = (key: string, hash: string): string => `${key}=${hash}`

/** Contents of a tree: hash and size by key. */
export type Contents = Map<string, { hash: Hash; size: number }>

/** Compares by UTF-8 bytes, using the bytes themselves. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

export function sortedEntries(contents: Contents): [string, { hash: Hash; size: number }][] {
  return [...contents].sort(([a], [b]) => byBytes(a, b))
}

export function putEdits(contents: Contents): Edit<string>[] {
  return sortedEntries(contents).map(([key, { hash, size }]) => ({
    key,
    put: { hash, size, payload: payloadOf(key, hash) },
  }))
}

/**
 * Reference implementation: the whole sorted list is cut level by level until one node is left. Deliberately slow and simple; it shares
 * no code with the builder.
 */
export function referenceTree(
  contents: Contents,
  kind: TreeKind,
  shape: TreeShape,
): Tree & { nodes: number } {
  const sha256 = (text: string): string => hashText(text)
  const zeros = (key: string): number => {
    const bits = BigInt(`0x${sha256(key).slice(0, 16)}`)
      .toString(2)
      .padStart(64, '0')
    return 64 - (bits.lastIndexOf('1') + 1)
  }
  interface Item {
    row: unknown[]
    lastKey: string
    count: number
    bytes: number
  }
  const cut = (items: Item[], level: number): Item[][] => {
    const max = level === 0 ? shape.leafEntriesMax : shape.childrenMax
    const need = shape.leafBits + shape.levelBits * level
    const groups: Item[][] = []
    let group: Item[] = []
    for (const item of items) {
      group.push(item)
      if ((need <= 64 && zeros(item.lastKey) >= need) || group.length === max) {
        groups.push(group)
        group = []
      }
    }
    if (group.length > 0) groups.push(group)
    return groups
  }
  let items: Item[] = sortedEntries(contents).map(([key, { hash, size }]) => {
    return { row: kind === 'set' ? [key, size] : [key, hash, size], lastKey: key, count: 1, bytes: size }
  })
  if (items.length === 0) return { root: null, count: 0, bytes: 0, nodes: 0 }
  let nodes = 0
  for (let level = 0; ; level++) {
    const made = cut(items, level).map((group) => {
      const e = group.map((item) => item.row)
      const text = JSON.stringify(level === 0 ? { e, t: 'leaf' } : { e, l: level, t: 'node' })
      const count = group.reduce((sum, item) => sum + item.count, 0)
      const bytes = group.reduce((sum, item) => sum + item.bytes, 0)
      const lastKey = group[group.length - 1]!.lastKey
      return { row: [lastKey, sha256(text), count, bytes], lastKey, count, bytes }
    })
    nodes += made.length
    const top = made[0]!
    if (made.length === 1) return { root: top.row[1] as Hash, count: top.count, bytes: top.bytes, nodes }
    items = made
  }
}
