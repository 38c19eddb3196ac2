/**
 * Editing a tree: old tree + sorted edits → new tree, the very one that building from scratch would give. Old and new nodes
 * stream by once in key order. An old node is opened only when an edit falls into it or when a boundary before it moved;
 * every other one is passed on whole. The old tree stays as it is.
 */

import type { Hash } from '../hash.ts'
import { compareUtf8 } from '../hash.ts'
import { bitsToEnd, defaultShape, type TreeShape, trailingZeroBits } from './boundary.ts'
import { type Child, type NodeSink, TreeBuilder } from './builder.ts'
import { type Edit, type EditBatches, EditQueue } from './edit-queue.ts'
import { emptyTree, type InteriorNode, type LeafNode, noHash, type Tree, type TreeKind } from './node.ts'
import { type NodeReader, readChild } from './read.ts'
import { TreeError } from './tree-error.ts'

/** What stands beside a key: hash (empty in a set), size in bytes, and the port's payload. */
export interface Entry<P> {
  hash: Hash
  size: number
  payload: P
}

/** Port: where old nodes and payloads come from and new ones go. Calls come one after the other, never at once. */
export interface EditPort<P> extends NodeReader, NodeSink<P> {
  /**
   * Payloads of a stored leaf, one for each entry, in order. Called once for each old leaf of which entries change or of
   * which kept entries come to lie in a new leaf.
   */
  payloads(hash: Hash, leaf: LeafNode): Promise<P[]>
  /** Every entry that really changed, in key order. A put with the hash and size that are there already is no change. */
  change?(change: {
    key: string
    before?: Entry<P> | undefined
    after?: Entry<P> | undefined
  }): void | Promise<void>
}

/** How `editTree` builds. */
export interface EditOptions {
  /** What the leaves hold; must be the kind of the old tree. */
  kind: TreeKind
  /** Default: the shape of all stored trees. Only tests have a reason for another. */
  shape?: TreeShape
}

/**
 * Applies `edits` to `base` and returns the new tree, after its new nodes went to the port. Every node of the new tree is a
 * node of the old one or was given to the port, and the port gets no others; it may get an interior node that the old tree
 * has too. Memory: one unfinished node a level and the batch at hand.
 * @throws TreeError `edits_unsorted`, `entry_malformed`, `node_misplaced`, `payloads_mismatched`; whatever the port rejects with.
 */
export async function editTree<P>(
  base: Tree,
  edits: EditBatches<P>,
  port: EditPort<P>,
  options: EditOptions,
): Promise<Tree> {
  const queue = new EditQueue(edits)
  let drained = false
  try {
    const tree = await new Editor(queue, port, options).run(base)
    drained = true
    return tree
  } finally {
    if (!drained) await queue.close()
  }
}

class Editor<P> {
  readonly #edits: EditQueue<P>
  readonly #port: EditPort<P>
  readonly #kind: TreeKind
  readonly #shape: TreeShape
  readonly #builder: TreeBuilder<P>

  constructor(edits: EditQueue<P>, port: EditPort<P>, options: EditOptions) {
    this.#edits = edits
    this.#port = port
    this.#kind = options.kind
    this.#shape = options.shape ?? defaultShape
    this.#builder = new TreeBuilder(port, this.#kind, this.#shape)
  }

  async run(base: Tree): Promise<Tree> {
    await this.#edits.load()
    if (this.#edits.current === undefined) return base
    if (base.root !== null) await this.#editRoot(base.root)
    await this.#insertRest()
    const built = await this.#builder.finish()
    if (built === undefined) return emptyTree
    return built.passedOn ? await this.#shed(built.tree) : built.tree
  }

  async #editRoot(hash: Hash): Promise<void> {
    const root = await this.#port.node(hash)
    if (root.kind === 'leaf') await this.#editLeaf(hash, root, true)
    else await this.#editInterior(hash, root, true)
  }

  async #editInterior(hash: Hash, node: InteriorNode, isLast: boolean): Promise<void> {
    this.#builder.turn(node.level, hash)
    const end = node.children.length - 1
    for (let i = 0; i <= end; i++) await this.#editChild(node, i, isLast && i === end)
    this.#builder.turn(node.level, undefined)
  }

  /** `isLast`: no old entry follows the child's. */
  async #editChild(parent: InteriorNode, index: number, isLast: boolean): Promise<void> {
    const child: Child = {
      hash: parent.children[index]!,
      lastKey: parent.lastKeys[index]!,
      count: parent.counts[index]!,
      bytes: parent.bytes[index]!,
    }
    const level = parent.level - 1
    const edit = this.#edits.current
    const untouched = edit === undefined || compareUtf8(edit.key, child.lastKey) > 0
    const whole = untouched && (edit === undefined || !isLast || this.#endsNaturally(level, child.lastKey))
    if (whole && (await this.#builder.append(level, child))) return
    const node = await readChild(this.#port, parent, index)
    if (node.kind === 'leaf') await this.#editLeaf(child.hash, node, isLast)
    else await this.#editInterior(child.hash, node, isLast)
  }

  async #editLeaf(hash: Hash, leaf: LeafNode, isLast: boolean): Promise<void> {
    if (leaf.tree !== this.#kind) {
      throw new TreeError(
        'node_misplaced',
        `Leaf ${hash} is of a ${leaf.tree} tree, not of a ${this.#kind} tree.`,
      )
    }
    if (this.#builder.startsLeaf && (await this.#passLeafOn(hash, leaf, isLast))) return
    const payloads = await this.#port.payloads(hash, leaf)
    if (payloads.length !== leaf.keys.length) {
      throw new TreeError('payloads_mismatched', `Leaf ${hash} came with ${payloads.length} payloads.`)
    }
    this.#builder.turn(0, hash)
    await this.#mergeLeaf(leaf, payloads)
    this.#builder.turn(0, undefined)
  }

  /** Takes the edits that change nothing in this leaf, and passes it on whole if no others fall into it. */
  async #passLeafOn(hash: Hash, leaf: LeafNode, isLast: boolean): Promise<boolean> {
    const edits = this.#edits
    const lastKey = leaf.keys.at(-1)!
    let index = 0
    for (;;) {
      const edit = edits.current
      if (edit === undefined) break
      while (index < leaf.keys.length && compareUtf8(leaf.keys[index]!, edit.key) < 0) index++
      // Beyond the last old entry a drop drops nothing.
      if (index === leaf.keys.length && !(isLast && edit.put === undefined)) break
      if (this.#changes(edit, leaf, index)) return false
      if (!edits.step()) await edits.load()
    }
    const isClosed = !isLast || edits.current === undefined || this.#endsNaturally(0, lastKey)
    if (!isClosed && leaf.keys.length < this.#shape.leafEntriesMax) return false
    const bytes = leaf.sizes.reduce((sum, size) => sum + size, 0)
    return await this.#builder.append(0, { hash, lastKey, count: leaf.keys.length, bytes })
  }

  /** Whether `edit` changes the leaf, whose first entry with a key ≥ the edit's is at `index`. */
  #changes(edit: Edit<P>, leaf: LeafNode, index: number): boolean {
    if (leaf.keys[index] !== edit.key) return edit.put !== undefined
    if (edit.put === undefined || edit.put.size !== leaf.sizes[index]) return true
    return this.#kind === 'records' && edit.put.hash !== leaf.hashes[index]
  }

  /** Adds the leaf's entries one by one, with the edits up to its last key applied. */
  async #mergeLeaf(leaf: LeafNode, payloads: P[]): Promise<void> {
    const builder = this.#builder
    const edits = this.#edits
    const { keys, hashes, sizes } = leaf
    const lastZeros = trailingZeroBits(keys.at(-1)!)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!
      while (edits.current !== undefined && compareUtf8(edits.current.key, key) < 0)
        await this.#insertCurrent()
      // A leaf's inner keys do not end leaves, or this one would have ended there.
      const zeros = i === keys.length - 1 ? lastZeros : 0
      const edit = edits.current
      const before = { hash: hashes[i] ?? noHash, size: sizes[i]!, payload: payloads[i]! }
      if (edit === undefined || edit.key !== key) {
        const finished = builder.add(key, before.hash, before.size, before.payload, zeros)
        if (finished !== undefined) await finished
        continue
      }
      const after = this.#changes(edit, leaf, i) ? this.#entryOf(edit) : before
      if (after !== before) await this.#port.change?.({ key, before, after })
      if (after !== undefined) await builder.add(key, after.hash, after.size, after.payload, zeros)
      if (!edits.step()) await edits.load()
    }
  }

  /** All edits that are left come after every old entry. */
  async #insertRest(): Promise<void> {
    while (this.#edits.current !== undefined) {
      const pending = this.#insertCurrent()
      if (pending !== undefined) await pending
    }
  }

  /** Takes the edit whose turn it is, of a key that the old tree does not hold. Returns a promise only when there is one to await. */
  #insertCurrent(): Promise<void> | undefined {
    const { key } = this.#edits.current!
    const after = this.#entryOf(this.#edits.current!)
    if (after === undefined) return this.#edits.step() ? undefined : this.#edits.load()
    const told = this.#port.change?.({ key, after })
    if (told !== undefined) return this.#insertAfter(told, key, after)
    const finished = this.#insert(key, after)
    const stepped = this.#edits.step()
    return finished === undefined && stepped ? undefined : this.#proceed(finished, stepped)
  }

  #insert(key: string, { hash, size, payload }: Entry<P>): Promise<void> | undefined {
    return this.#builder.add(key, hash, size, payload, trailingZeroBits(key))
  }

  async #insertAfter(told: Promise<void>, key: string, after: Entry<P>): Promise<void> {
    await told
    await this.#insert(key, after)
    if (!this.#edits.step()) await this.#edits.load()
  }

  async #proceed(finished: Promise<void> | undefined, stepped: boolean): Promise<void> {
    await finished
    if (!stepped) await this.#edits.load()
  }

  #entryOf(edit: Edit<P>): Entry<P> | undefined {
    if (edit.put === undefined) return undefined
    return {
      hash: this.#kind === 'set' ? noHash : edit.put.hash,
      size: edit.put.size,
      payload: edit.put.payload,
    }
  }

  #endsNaturally(level: number, lastKey: string): boolean {
    return trailingZeroBits(lastKey) >= bitsToEnd(this.#shape, level)
  }

  /** The root is the lowest node that holds everything: an old node with one child gives way to that child. */
  async #shed(tree: Tree): Promise<Tree> {
    let root = tree.root!
    let node = await this.#port.node(root)
    while (node.kind === 'node' && node.children.length === 1) {
      root = node.children[0]!
      node = await readChild(this.#port, node, 0)
    }
    return { ...tree, root }
  }
}
