/**
 * Editing a tree: old tree + sorted edits → the new tree, identical to one built from scratch. The edits cut the tree
 * into ranges that are edited one after the other or concurrently; a builder adds interior nodes above the resulting leaves. An old
 * node is opened only if it contains an edit or if an earlier boundary moved; all others are reused whole. The old
 * tree is not changed.
 */
import type { Hash } from '../../hash.ts'
import { Ahead } from '../ahead.ts'
import { defaultShape, type TreeShape } from '../boundary.ts'
import {
  type Child,
  childAt,
  emptyTree,
  type LeafNode,
  type Tree,
  type TreeKind,
  type TreeNode,
} from '../node.ts'
import { checkPlace, type NodeReader, readChild } from '../read.ts'
import { type NodeSink, TreeBuilder } from './builder.ts'
import { EditPlan, type Step } from './plan.ts'
import { type EditBatches, EditQueue } from './queue.ts'
import {
  type Change,
  type Cut,
  changesAnything,
  type EditRange,
  editRange,
  type NewLeaf,
  type OpenedLeaf,
  type UnfinishedLeaf,
} from './range.ts'

/** Port: source of old nodes and payloads, destination of new ones. Calls are sequential, except those of `edit`. */
export interface EditPort<P> extends NodeReader, NodeSink {
  /**
   * Payloads of a stored leaf, one for each entry, in order. Called once for each old leaf with changed entries or with
   * entries that move to a new leaf.
   */
  payloads(hash: Hash, leaf: LeafNode): Promise<P[]>
  /** Receives a new leaf with the payloads of its entries, once; leaves come in key order, before their parents. */
  leaf(made: NewLeaf<P>): void | Promise<void>
  /** Receives every entry that actually changed, in key order. */
  change?(change: Change<P>): void | Promise<void>
  /**
   * Edits a range in another thread, as `editRange` does, without calls of `payloads`, `leaf` and `change`. Several ranges are edited
   * concurrently. Returns undefined if the range should be edited here. A range has hardly more entries than two full leaves.
   */
  edit?(range: EditRange<P>): Promise<EditedElsewhere> | undefined
}

/** Result of a range that the port edited. */
export interface EditedElsewhere {
  /** All its leaves in key order. */
  leaves: Child[]
  /** Called in key order, before the leaves get parents. */
  keep(): Promise<void>
}

/** Kind and shape of the tree. */
export interface EditOptions {
  /** Kind of the leaves; must be the kind of the old tree. */
  kind: TreeKind
  /** Default: the shape of all stored trees. Only tests need another. */
  shape?: TreeShape
}

/**
 * Applies `edits` to `base` and returns the new tree, once its new nodes were passed to the port. Every node of the new tree is an old
 * one or was passed to the port, which gets no other nodes; it may get an interior node that the old tree
 * has as well. Memory: one unfinished node per level and the current ranges, of some thousand entries each.
 * @throws TreeError `edits_unsorted`, `entry_malformed`, `node_misplaced`, `payloads_mismatched`; errors of the port.
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

/** Bounds for concurrent edits in other threads; bytes are those of leaves and edits. */
const rangesAtOnce = { most: 8, bytesMost: 16_777_216 }

class Editor<P> {
  readonly #edits: EditQueue<P>
  readonly #port: EditPort<P>
  readonly #cut: Cut
  readonly #builder: TreeBuilder
  #unfinished: UnfinishedLeaf<P> | undefined
  /** The leaf opened last: the next range may begin within it. */
  #opened: OpenedLeaf<P> | undefined

  constructor(edits: EditQueue<P>, port: EditPort<P>, { kind, shape = defaultShape }: EditOptions) {
    this.#edits = edits
    this.#port = port
    this.#cut = { kind, shape }
    this.#builder = new TreeBuilder(port, shape)
  }

  async run(base: Tree): Promise<Tree> {
    await this.#edits.load()
    if (this.#edits.current === undefined) return base
    const reader = { node: (hash: Hash) => this.#node(hash) }
    const plan = new EditPlan(this.#edits, reader, this.#cut.shape, () => this.#unfinished !== undefined)
    await this.#follow(plan.steps(base))
    const built = await this.#builder.finish()
    if (built === undefined) return emptyTree
    return built.passedOn ? await this.#shed(built.tree) : built.tree
  }

  /** Executes the steps in order; ranges for other threads are started ahead of their turn. */
  async #follow(steps: AsyncGenerator<Step<P>>): Promise<void> {
    const ahead = new Ahead<EditedElsewhere>(rangesAtOnce)
    // For a range in another thread only a placeholder is kept.
    const waiting: (Step<P> | 'elsewhere')[] = []
    const takeFirst = async () => {
      const step = waiting.shift()!
      if (step !== 'elsewhere') return this.#take(step)
      const { leaves, keep } = await ahead.take()
      await keep()
      for (const leaf of leaves) await this.#builder.append(0, leaf)
    }
    try {
      for await (const step of steps) {
        const bytes = step.do === 'edit' ? bytesOf(step.range) : 0
        while (!ahead.hasRoom(bytes)) await takeFirst()
        const edited = step.do === 'edit' ? this.#port.edit?.(step.range) : undefined
        if (edited !== undefined) ahead.add(edited, bytes)
        // Finish pending edits before the plan continues: it may depend on their results.
        else if (step.do === 'edit') while (waiting.length > 0) await takeFirst()
        if (edited === undefined && waiting.length === 0) await this.#take(step)
        else waiting.push(edited === undefined ? step : 'elsewhere')
      }
      while (waiting.length > 0) await takeFirst()
    } finally {
      await ahead.settle()
      await steps.return(undefined)
    }
  }

  async #take(step: Step<P>): Promise<void> {
    if (step.do === 'turn') this.#builder.turn(step.level, step.source)
    else if (step.do === 'pass') await this.#passOn(step.level, step.child)
    else await this.#editHere(step.range)
  }

  /** Reuses an old node whole; if its boundaries moved because of earlier entries, reuses its children. */
  async #passOn(level: number, child: Child): Promise<void> {
    if (await this.#builder.append(level, child)) return
    const node = await this.#port.node(child.hash)
    checkPlace(child.hash, node, { level, lastKey: child.lastKey })
    if (node.kind === 'leaf') return
    this.#builder.turn(level, child.hash)
    for (let i = 0; i < node.children.length; i++) await this.#passOn(level - 1, childAt(node, i))
    this.#builder.turn(level, undefined)
  }

  async #editHere(range: EditRange<P>): Promise<void> {
    const opened: OpenedLeaf<P>[] = []
    for (const leaf of range.leaves) opened.push(await this.#openLeaf(leaf))
    // A range that begins with a leaf, covers whole leaves and changes nothing also ends with one: at a natural boundary, a full leaf
    // or the end of the tree.
    const beginsLeaf = range.after === undefined && this.#unfinished === undefined
    const breaksOffWithin = range.through !== undefined && !range.ends
    if (beginsLeaf && !breaksOffWithin && !changesAnything(range, opened)) {
      for (const leaf of range.leaves) await this.#builder.append(0, leaf)
      return
    }
    for (const [i, one] of opened.entries()) {
      if (one.payloads.length === 0)
        opened[i] = { ...one, payloads: await this.#port.payloads(one.hash, one.leaf) }
    }
    this.#opened = opened.at(-1)
    const { leaves, changes, unfinished } = editRange(range, opened, this.#cut, this.#unfinished)
    this.#unfinished = unfinished?.isEmpty ? undefined : unfinished
    for (const change of changes) {
      const told = this.#port.change?.(change)
      if (told !== undefined) await told
    }
    for (const { made, ...leaf } of leaves) {
      if (made !== undefined) await this.#port.leaf(made)
      await this.#builder.append(0, leaf)
    }
  }

  async #openLeaf({ hash, lastKey }: Child): Promise<OpenedLeaf<P>> {
    checkPlace(hash, await this.#node(hash), { level: 0, lastKey })
    return this.#opened!
  }

  async #node(hash: Hash): Promise<TreeNode> {
    if (this.#opened?.hash === hash) return this.#opened.leaf
    const node = await this.#port.node(hash)
    if (node.kind === 'leaf') this.#opened = { hash, leaf: node, payloads: [] }
    return node
  }

  /** The root is the lowest node that contains everything: an old node with one child is replaced by that child. */
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

function bytesOf<P>({ leaves, edits }: EditRange<P>): number {
  let bytes = 0
  for (const leaf of leaves) bytes += leaf.bytes
  for (const { put } of edits) bytes += put?.size ?? 0
  return bytes
}
