/**
 * Builds the interior nodes of a tree from a stream, in key order, of leaves and of whole nodes that are reused. Keeps one
 * unfinished node per level, whatever the tree's size, and makes no node that is absent from the finished tree.
 */
import { type Hash, hashText } from '../../hash.ts'
import { bitsToEnd, type TreeShape, trailingZeroBits } from '../boundary.ts'
import { type Child, encodeNode, type InteriorNode, type Tree } from '../node.ts'
import { Origin } from './origin.ts'

/** Port: receives finished interior nodes, children before parents, those of one level in key order. */
export interface NodeSink {
  /** `replaces`: the old node of the same level that had most of these children, if any. */
  interior(made: {
    hash: Hash
    text: string
    node: InteriorNode
    replaces?: Hash | undefined
  }): void | Promise<void>
}

/** Finished tree and its top node, which may be a reused old one. */
export interface Built {
  tree: Tree
  /** True if the top is an old interior node: if it has a single child, that child must become the root. */
  passedOn: boolean
}

/** A child, with the trailing zero bits of its last key, which decide where its parent ends. */
interface CutChild extends Child {
  zeros: number
}

/** An unfinished interior node. */
interface Row {
  node: InteriorNode
  count: number
  bytes: number
  /** Trailing zero bits of the last key so far. */
  zeros: number
}

/** A tree under construction. The caller must add items strictly ascending by key. */
export class TreeBuilder {
  readonly #sink: NodeSink
  readonly #shape: TreeShape
  /** Unfinished interior nodes; index 0 is level 1. */
  readonly #rows: Row[] = []
  /** Origins of their children. */
  readonly #origins: Origin[] = []
  /**
   * The finished node that contains all entries so far, if there is one. It gets a parent only when another node follows:
   * otherwise it is the root, and a parent would not be part of the tree.
   */
  #only: { level: number; child: CutChild; passedOn: boolean } | undefined

  constructor(sink: NodeSink, shape: TreeShape) {
    this.#sink = sink
    this.#shape = shape
  }

  /**
   * Appends a node of `level` if the next item starts a node of that level, which is always true for a leaf (level 0); otherwise does
   * nothing and returns false. An interior node must be an old one, and must end where a node of its level ends or be the last item.
   */
  async append(level: number, child: Child): Promise<boolean> {
    if (this.#only !== undefined && this.#only.level < level) await this.#release()
    for (let i = 1; i <= level; i++) {
      if (!isEmpty(this.#rows[i - 1])) return false
    }
    await this.#place(level, { ...child, zeros: trailingZeroBits(child.lastKey) }, true)
    return true
  }

  /** Sets the old node that the following items of `level` (from 1 on) come from; undefined if none. */
  turn(level: number, source: Hash | undefined): void {
    this.#origin(level).turn(this.#rows[level - 1]?.node.children.length ?? 0, source)
  }

  /** Completes all unfinished nodes. Nothing may be added afterwards. Returns undefined if nothing was added. */
  async finish(): Promise<Built | undefined> {
    for (let level = 1; level <= this.#rows.length; level++) {
      if (!isEmpty(this.#rows[level - 1])) await this.#place(level, await this.#finishRow(level), false)
    }
    if (this.#only === undefined) return undefined
    const { level, child, passedOn } = this.#only
    const { hash, count, bytes } = child
    return { tree: { root: hash, count, bytes }, passedOn: passedOn && level > 0 }
  }

  /** Places a finished node: alone while it contains everything, else under a parent. */
  async #place(level: number, child: CutChild, passedOn: boolean): Promise<void> {
    if (this.#only !== undefined) await this.#release()
    if (this.#isTop(level)) this.#only = { level, child, passedOn }
    else await this.#push(level + 1, child, false)
  }

  /** Gives the node that contained everything a parent, because another node follows. */
  async #release(): Promise<void> {
    const only = this.#only
    if (only === undefined) return
    this.#only = undefined
    await this.#push(only.level + 1, only.child, true)
  }

  /** Adds a child to the unfinished node of `level`. `followed`: another child is certain to follow. */
  async #push(level: number, child: CutChild, followed: boolean): Promise<void> {
    const row = this.#row(level)
    const { node } = row
    node.lastKeys.push(child.lastKey)
    node.children.push(child.hash)
    node.counts.push(child.count)
    node.bytes.push(child.bytes)
    row.count += child.count
    row.bytes += child.bytes
    row.zeros = child.zeros
    const full = node.children.length === this.#shape.childrenMax
    if (!full && child.zeros < bitsToEnd(this.#shape, level)) return
    const parent = await this.#finishRow(level)
    if (!followed && this.#isTop(level)) this.#only = { level, child: parent, passedOn: false }
    else await this.#push(level + 1, parent, followed)
  }

  async #finishRow(level: number): Promise<CutChild> {
    const { node, count, bytes, zeros } = this.#row(level)
    this.#rows[level - 1] = emptyRow(level)
    const text = encodeNode(node)
    const hash = hashText(text)
    const origin = this.#origin(level)
    const replaces = origin.finish(node.children.length)
    if (!origin.knows(hash)) await this.#sink.interior({ hash, text, node, replaces })
    return { hash, lastKey: node.lastKeys.at(-1)!, count, bytes, zeros }
  }

  /** True if all unfinished nodes above `level` are empty. */
  #isTop(level: number): boolean {
    for (let i = level; i < this.#rows.length; i++) {
      if (!isEmpty(this.#rows[i])) return false
    }
    return true
  }

  #row(level: number): Row {
    while (this.#rows.length < level) this.#rows.push(emptyRow(this.#rows.length + 1))
    return this.#rows[level - 1]!
  }

  #origin(level: number): Origin {
    while (this.#origins.length < level) this.#origins.push(new Origin())
    return this.#origins[level - 1]!
  }
}

function emptyRow(level: number): Row {
  const node: InteriorNode = { kind: 'node', level, lastKeys: [], children: [], counts: [], bytes: [] }
  return { node, count: 0, bytes: 0, zeros: 0 }
}

function isEmpty(row: Row | undefined): boolean {
  return row === undefined || row.node.children.length === 0
}
