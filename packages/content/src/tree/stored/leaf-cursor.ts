/** Looks up many keys of a tree in ascending order, reading each leaf at most once, and only leaves that may contain a key. */
import { compareUtf8, type Hash } from '../../hash.ts'
import type { LeafNode, Tree } from '../node.ts'
import { findEntry, type NodeReader, walkLeaves } from '../read.ts'

/** An entry and its place: the hash of its leaf, and its index there. */
export interface CursorEntry {
  hash: Hash
  leaf: Hash
  index: number
}

/** A cursor on one tree. Not for concurrent calls. */
export class LeafCursor {
  readonly #reader: NodeReader
  readonly #tree: Tree
  /** The current leaf, which covers all keys from the last requested one up to its own last key. */
  #leaf: { hash: Hash; node: LeafNode; at: number } | undefined
  /** True if no key of the tree follows the last requested one. */
  #isPastEnd: boolean

  constructor(reader: NodeReader, tree: Tree) {
    this.#reader = reader
    this.#tree = tree
    this.#isPastEnd = tree.root === null
  }

  /** The entry of a key, which must be greater than all keys requested before. */
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

  /** Loads the leaf that contains the key, or else the one with the next greater key. */
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
