/**
 * Reads a tree through a port for nodes: finds an entry, walks leaves from any key, and counts the entries up to a key. Every node is
 * compared with its parent, so a damaged tree fails instead of yielding wrong entries.
 */
import { compareUtf8, type Hash } from '../hash.ts'
import {
  type Child,
  childAt,
  firstAfter,
  firstAtLeast,
  type InteriorNode,
  keysOf,
  type LeafNode,
  levelOf,
  noHash,
  type Tree,
  type TreeNode,
} from './node.ts'
import { TreeError } from './tree-error.ts'

/** Port: decoded nodes by hash. */
export interface NodeReader {
  /** The node with this hash. Rejects if it is absent or its bytes have another hash. */
  node(hash: Hash): Promise<TreeNode>
}

/** An entry and its location: the hash of its leaf and its index there. In a set `hash` is empty. */
export interface Located {
  key: string
  hash: Hash
  size: number
  leaf: Hash
  index: number
}

/** The entry at `index` of a leaf. */
export function locate(hash: Hash, leaf: LeafNode, index: number): Located {
  return {
    key: leaf.keys[index]!,
    hash: leaf.hashes[index] ?? noHash,
    size: leaf.sizes[index]!,
    leaf: hash,
    index,
  }
}

/**
 * The child of `parent` at `index`.
 * @throws TreeError `node_misplaced` if its level or last key contradicts the parent.
 */
export async function readChild(reader: NodeReader, parent: InteriorNode, index: number): Promise<TreeNode> {
  const hash = parent.children[index]!
  const child = await reader.node(hash)
  checkPlace(hash, child, { level: parent.level - 1, lastKey: parent.lastKeys[index]! })
  return child
}

/** @throws TreeError `node_misplaced` if a node contradicts its parent. */
export function checkPlace(hash: Hash, node: TreeNode, said: { level: number; lastKey: string }): void {
  if (levelOf(node) !== said.level || keysOf(node).at(-1) !== said.lastKey) {
    throw new TreeError('node_misplaced', `Node ${hash} is not at the level or the keys its parent says.`)
  }
}

/** The entry with this key. Reads one node a level, none in an empty tree. */
export async function findEntry(tree: Tree, key: string, reader: NodeReader): Promise<Located | undefined> {
  if (tree.root === null) return undefined
  let hash = tree.root
  let node = await reader.node(hash)
  while (node.kind === 'node') {
    const index = firstAtLeast(node.lastKeys, key)
    if (index === node.children.length) return undefined
    hash = node.children[index]!
    node = await readChild(reader, node, index)
  }
  return entryIn(hash, node, key)
}

/** The entry of a leaf with this key. */
export function entryIn(hash: Hash, leaf: LeafNode, key: string): Located | undefined {
  const index = firstAtLeast(leaf.keys, key)
  return leaf.keys[index] === key ? locate(hash, leaf, index) : undefined
}

/**
 * The leaf that would contain the key; undefined if the key is beyond the last. Reads one node per level but no leaf, except a root
 * that is a leaf.
 */
export async function findLeaf(tree: Tree, key: string, reader: NodeReader): Promise<Child | undefined> {
  if (tree.root === null) return undefined
  let node = await reader.node(tree.root)
  if (node.kind === 'leaf')
    return { hash: tree.root, lastKey: node.keys.at(-1)!, count: tree.count, bytes: tree.bytes }
  for (;;) {
    const index = firstAtLeast(node.lastKeys, key)
    if (index === node.children.length) return undefined
    if (node.level === 1) return childAt(node, index)
    // Above level 1 all children are interior nodes, or misplaced.
    node = (await readChild(reader, node, index)) as InteriorNode
  }
}

/** A leaf met on a walk; `start` is the index of its first wanted entry. */
export interface WalkedLeaf {
  hash: Hash
  leaf: LeafNode
  start: number
}

/**
 * Leaves in key order, from the first entry with a key > `after` (by default from the first entry). Reads only nodes
 * that contain such entries, each on demand.
 */
export async function* walkLeaves(
  tree: Tree,
  reader: NodeReader,
  options: { after?: string | undefined } = {},
): AsyncGenerator<WalkedLeaf> {
  if (tree.root === null) return
  yield* leavesBelow(tree.root, await reader.node(tree.root), reader, options.after)
}

async function* leavesBelow(
  hash: Hash,
  node: TreeNode,
  reader: NodeReader,
  after: string | undefined,
): AsyncGenerator<WalkedLeaf> {
  const keys = keysOf(node)
  const start = after === undefined ? 0 : firstAfter(keys, after)
  if (node.kind === 'leaf') {
    if (start < keys.length) yield { hash, leaf: node, start }
    return
  }
  for (let i = start; i < keys.length; i++) {
    const child = await readChild(reader, node, i)
    yield* leavesBelow(node.children[i]!, child, reader, i === start ? after : undefined)
  }
}

/**
 * References to the leaves that contain entries with a key > `after`, in key order, without reading them; yields those below one parent at
 * a time. Reads no leaf, except a root that is a leaf.
 */
export async function* nameLeaves(
  tree: Tree,
  reader: NodeReader,
  options: { after?: string | undefined } = {},
): AsyncGenerator<Child[]> {
  if (tree.root === null) return
  const root = await reader.node(tree.root)
  if (root.kind === 'node') return yield* leavesNamedBelow(root, reader, options.after)
  const lastKey = root.keys.at(-1)!
  const isBeyond = options.after === undefined || compareUtf8(lastKey, options.after) > 0
  if (isBeyond) yield [{ hash: tree.root, lastKey, count: tree.count, bytes: tree.bytes }]
}

async function* leavesNamedBelow(
  node: InteriorNode,
  reader: NodeReader,
  after: string | undefined,
): AsyncGenerator<Child[]> {
  const { lastKeys, children } = node
  const start = after === undefined ? 0 : firstAfter(lastKeys, after)
  if (node.level > 1) {
    for (let i = start; i < children.length; i++) {
      // Above level 1 all children are interior nodes, or misplaced.
      const child = (await readChild(reader, node, i)) as InteriorNode
      yield* leavesNamedBelow(child, reader, i === start ? after : undefined)
    }
  } else if (start < children.length) {
    yield children.map((_, i) => childAt(node, i)).slice(start)
  }
}

/** Number of entries with a key ≤ `key`. Reads at most one node per level: the rest follows from the counts. */
export async function countThrough(tree: Tree, key: string, reader: NodeReader): Promise<number> {
  if (tree.root === null) return 0
  let node = await reader.node(tree.root)
  let before = 0
  while (node.kind === 'node') {
    const index = firstAtLeast(node.lastKeys, key)
    for (let i = 0; i < index; i++) before += node.counts[i]!
    if (index === node.children.length) return before
    node = await readChild(reader, node, index)
  }
  return before + firstAfter(node.keys, key)
}
