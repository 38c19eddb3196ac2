/**
 * Editing a tree: old tree + sorted edits → new tree, the very one that building from scratch would give. The edits cut the tree
 * into ranges that are edited one by one or side by side; a builder puts interior nodes over the leaves that come of them. An old
 * node is opened only when an edit falls into it or when a boundary before it moved; every other one is passed on whole. The old
 * tree stays as it is.
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

/** Port: where old nodes and payloads come from and new ones go. Without `edit`, calls come one after the other, never at once. */
export interface EditPort<P> extends NodeReader, NodeSink {
  /**
   * Payloads of a stored leaf, one for each entry, in order. Called once for each old leaf with changed entries, or with
   * entries that move to a new leaf.
   */
  payloads(hash: Hash, leaf: LeafNode): Promise<P[]>
  /** A new leaf with the payloads of its entries, once; leaves come in key order, before their parents. */
  leaf(made: NewLeaf<P>): void | Promise<void>
  /** Every entry that really changed, in key order. */
  change?(change: Change<P>): void | Promise<void>
  /**
   * Edits a range elsewhere, as `editRange` does: `payloads`, `leaf` and `change` are not called for it. Some are on their way
   * at once. Undefined: this one is to be edited here. However the edits lie, a range has hardly more than two full leaves'.
   */
  edit?(range: EditRange<P>): Promise<EditedElsewhere> | undefined
}

/** Result of a range that the port edited. */
export interface EditedElsewhere {
  /** All its leaves in key order. */
  leaves: Child[]
  /** Called in key order, before the leaves come under their parents. */
  keep(): Promise<void>
}

/** How `editTree` builds. */
export interface EditOptions {
  /** Kind of the leaves; must be the kind of the old tree. */
  kind: TreeKind
  /** Default: the shape of all stored trees. Only tests have a reason for another. */
  shape?: TreeShape
}

/**
 * Applies `edits` to `base` and returns the new tree, after its new nodes went to the port. Every node of the new tree is a
 * node of the old one or was given to the port, and the port gets no others; it may get an interior node that the old tree
 * has too. Memory: one unfinished node a level and the ranges at hand, of some thousand entries each.
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

/** Stretches edited elsewhere at once; bytes are those of leaves and edits in them. */
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

  /** Takes the steps one after the other; ranges that are edited elsewhere are begun ahead of their turn. */
  async #follow(steps: AsyncGenerator<Step<P>>): Promise<void> {
    const ahead = new Ahead<EditedElsewhere>(rangesAtOnce)
    // An edit range that is edited elsewhere is not held, only its place.
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

  /** If an old node cannot be reused whole because earlier entries have moved, its children can. */
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
    // What begins with a leaf, takes in whole ones and changes nothing ends with one, too: at a natural end, a full leaf or the
    // end of the tree.
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

function bytesOf<P>({ leaves, edits }: EditRange<P>): number {
  let bytes = 0
  for (const leaf of leaves) bytes += leaf.bytes
  for (const { put } of edits) bytes += put?.size ?? 0
  return bytes
}
