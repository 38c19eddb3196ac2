/** In-memory store of nodes for the tests of this folder; it records its calls. */
import { type Hash, hashText } from '../hash.ts'
import type { TreeShape } from './boundary.ts'
import { type EditPort, editTree } from './edit/edit.ts'
import type { Entry } from './edit/range.ts'
import {
  decodeNode,
  emptyTree,
  type InteriorNode,
  type LeafNode,
  type Tree,
  type TreeKind,
  type TreeNode,
} from './node.ts'
import { type Contents, putEdits } from './reference-tree.fixture.ts'

export interface Emitted {
  hash: Hash
  replaces?: Hash | undefined
}

export interface Changed {
  key: string
  before?: Entry<string> | undefined
  after?: Entry<string> | undefined
}

/** A store that records reads and writes. */
export class MemoryNodes implements EditPort<string> {
  readonly texts = new Map<Hash, string>()
  readonly nodes = new Map<Hash, TreeNode>()
  readonly bodies = new Map<Hash, string[]>()
  reads: Hash[] = []
  opened: Hash[] = []
  leaves: Emitted[] = []
  interiors: Emitted[] = []
  changes: Changed[] = []

  forget(): void {
    this.reads = []
    this.opened = []
    this.leaves = []
    this.interiors = []
    this.changes = []
  }

  async node(hash: Hash): Promise<TreeNode> {
    this.reads.push(hash)
    const node = this.nodes.get(hash)
    if (node === undefined) throw new Error(`No node ${hash}.`)
    return node
  }

  async payloads(hash: Hash): Promise<string[]> {
    this.opened.push(hash)
    return this.bodies.get(hash)!
  }

  leaf(made: {
    hash: Hash
    text: string
    leaf: LeafNode
    payloads: string[]
    replaces?: Hash | undefined
  }): void {
    if (hashText(made.text) !== made.hash) throw new Error('A leaf came with another hash.')
    this.leaves.push({ hash: made.hash, replaces: made.replaces })
    this.texts.set(made.hash, made.text)
    this.nodes.set(made.hash, decodeNode(new TextEncoder().encode(made.text)))
    this.bodies.set(made.hash, made.payloads)
  }

  interior(made: { hash: Hash; text: string; node: InteriorNode; replaces?: Hash | undefined }): void {
    if (hashText(made.text) !== made.hash) throw new Error('A node came with another hash.')
    for (const child of made.node.children) {
      if (!this.nodes.has(child)) throw new Error('A parent came before its child.')
    }
    this.interiors.push({ hash: made.hash, replaces: made.replaces })
    this.texts.set(made.hash, made.text)
    this.nodes.set(made.hash, decodeNode(new TextEncoder().encode(made.text)))
  }

  change(change: Changed): void {
    this.changes.push(change)
  }

  /** Hashes of all nodes of a tree. */
  reachable(tree: Tree): Set<Hash> {
    const found = new Set<Hash>()
    const visit = (hash: Hash): void => {
      found.add(hash)
      const node = this.nodes.get(hash)!
      if (node.kind === 'node') for (const child of node.children) visit(child)
    }
    if (tree.root !== null) visit(tree.root)
    return found
  }
}

export async function buildTree(
  contents: Contents,
  nodes: MemoryNodes,
  options: { kind?: TreeKind; shape?: TreeShape } = {},
): Promise<Tree> {
  return await editTree(emptyTree, [putEdits(contents)], nodes, { kind: 'records', ...options })
}
