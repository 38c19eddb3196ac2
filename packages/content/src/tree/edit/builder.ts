/**
 * Builds the interior nodes of a tree over a stream of leaves, and of whole nodes that need no cutting, in key order. Holds one
 * unfinished node a level, whatever the tree's size, and makes no node that the finished tree does not hold.
 */
import { type Hash, hashText } from '../../hash.ts'
import { bitsToEnd, type TreeShape, trailingZeroBits } from '../boundary.ts'
import { type Child, encodeNode, type InteriorNode, type Tree } from '../node.ts'
import { Origin } from './origin.ts'

/** Port: takes finished interior nodes, children before parents, those of a level in key order. */
export interface NodeSink {
  /** `replaces` = the old node of its level that held most of these children, if any did. */
  interior(made: {
    hash: Hash
    text: string
    node: InteriorNode
    replaces?: Hash | undefined
  }): void | Promise<void>
}

/** Finished tree: its top node, which may be an old one that the builder only passed on. */
export interface Built {
  tree: Tree
  /** True when the top is an old interior node: it may have a single child, and must then give way to it. */
  passedOn: boolean
}

/** A child with what decides where its parent ends: the trailing zero bits of its last key. */
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

/** A tree under construction. What comes in must ascend strictly by key: the caller checks. */
export class TreeBuilder {
  readonly #sink: NodeSink
  readonly #shape: TreeShape
  /** Unfinished interior nodes; index 0 is level 1. */
  readonly #rows: Row[] = []
  /** Origins of their children. */
  readonly #origins: Origin[] = []
  /**
   * The finished node that holds all entries so far, when one does. It gets a parent only when something follows it:
   * else it is the root, and a parent would be a node that no tree holds.
   */
  #only: { level: number; child: CutChild; passedOn: boolean } | undefined

  constructor(sink: NodeSink, shape: TreeShape) {
    this.#sink = sink
    this.#shape = shape
  }

  /**
   * Adds a node of `level` behind all others, if what comes next would start a node of that level, as it always does for a leaf
   * (level 0); else does nothing and returns false. An interior node must be an old one, and end where a node of its level ends or
   * be the last thing added.
   */
  async append(level: number, child: Child): Promise<boolean> {
    if (this.#only !== undefined && this.#only.level < level) await this.#release()
    for (let i = 1; i <= level; i++) {
      if (!isEmpty(this.#rows[i - 1])) return false
    }
    await this.#place(level, { ...child, zeros: trailingZeroBits(child.lastKey) }, true)
    return true
  }

  /** Sets the old node that held the things added at `level` (from 1 on) from here on; undefined if none did. */
  turn(level: number, source: Hash | undefined): void {
    this.#origin(level).turn(this.#rows[level - 1]?.node.children.length ?? 0, source)
  }

  /** Completes all unfinished nodes. Nothing may be added afterwards. Returns undefined when nothing was added at all. */
  async finish(): Promise<Built | undefined> {
    for (let level = 1; level <= this.#rows.length; level++) {
      if (!isEmpty(this.#rows[level - 1])) await this.#place(level, await this.#finishRow(level), false)
    }
    if (this.#only === undefined) return undefined
    const { level, child, passedOn } = this.#only
    const { hash, count, bytes } = child
    return { tree: { root: hash, count, bytes }, passedOn: passedOn && level > 0 }
  }

  /** Puts a finished node in its place: alone, while it holds everything, else under a parent. */
  async #place(level: number, child: CutChild, passedOn: boolean): Promise<void> {
    if (this.#only !== undefined) await this.#release()
    if (this.#isTop(level)) this.#only = { level, child, passedOn }
    else await this.#push(level + 1, child, false)
  }

  /** Gives the node that held everything a parent, because something follows it. */
  async #release(): Promise<void> {
    const only = this.#only
    if (only === undefined) return
    this.#only = undefined
    await this.#push(only.level + 1, only.child, true)
  }

  /** Adds a child to the unfinished node of `level`. `followed`: it is certain that more will follow it. */
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

  /** Whether no unfinished node above `level` holds anything. */
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
