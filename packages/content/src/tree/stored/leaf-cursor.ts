/** Asks a tree for many keys in ascending order, reading each leaf once and none that no key falls into. */
import { compareUtf8, type Hash } from '../../hash.ts'
import type { LeafNode, Tree } from '../node.ts'
import { findEntry, type NodeReader, walkLeaves } from '../read.ts'

export interface CursorEntry {
  hash: Hash
  leaf: Hash
  index: number
}

export class LeafCursor {
  readonly #reader: NodeReader
  readonly #tree: Tree
  /** The leaf that answers for every key from the last one asked up to its own last. */
  #leaf: { hash: Hash; node: LeafNode; at: number } | undefined
  /** True when no key of the tree comes after the last one asked. */
  #isPastEnd: boolean

  constructor(reader: NodeReader, tree: Tree) {
    this.#reader = reader
    this.#tree = tree
    this.#isPastEnd = tree.root === null
  }

  /** The entry of a key, which comes after every key asked before. */
  async find(key: string): Promise<CursorEntry | undefined> {
    if (this.#isPastEnd) return undefined
    if (this.#leaf === undefined || compareUtf8(key, this.#leaf.node.keys.at(-1)!) > 0) {
      const found = await this.#seek(key)
      if (found !== undefined || this.#leaf === undefined) return found
    }
    const { hash, node } = this.#leaf
    let { at } = this.#leaf
    while (compareUtf8(node.keys[at]!, key) < 0) at++
    this.#leaf.at = at
    return node.keys[at] === key ? { hash: node.hashes[at]!, leaf: hash, index: at } : undefined
  }

  /** Sets the leaf that holds the key, or else the one that holds the first key after it. */
  async #seek(key: string): Promise<CursorEntry | undefined> {
    this.#leaf = undefined
    const found = await findEntry(this.#tree, key, this.#reader)
    if (found !== undefined) {
      const node = (await this.#reader.node(found.leaf)) as LeafNode
      this.#leaf = { hash: found.leaf, node, at: found.index }
      return found
    }
    for await (const { hash, leaf, start } of walkLeaves(this.#tree, this.#reader, { after: key })) {
      this.#leaf = { hash, node: leaf, at: start }
      return undefined
    }
    this.#isPastEnd = true
    return undefined
  }
}
