/** Differences between two trees, in key order, reading only nodes that the trees do not share. */
import { compareUtf8, type Hash } from '../hash.ts'
import { firstAfter, keysOf, levelOf, type Tree, type TreeNode } from './node.ts'
import { type Located, locate, type NodeReader, readChild } from './read.ts'

/** A key that the trees do not hold alike: added (no `before`), dropped (no `after`) or with another hash or size. */
export interface TreeChange {
  key: string
  before?: Located
  after?: Located
}

/**
 * Every key that `before` and `after` do not hold alike, in key order; with `options.after` only keys > it. Both trees must
 * be of one kind and shape. Where their nodes are the same nothing is read, so the cost follows the number of differences.
 */
export async function* diffTrees(
  before: Tree,
  after: Tree,
  reader: NodeReader,
  options: { after?: string | undefined } = {},
): AsyncGenerator<TreeChange> {
  if (before.root === after.root) return
  const old = new Cursor(reader, options.after)
  const next = new Cursor(reader, options.after)
  await Promise.all([old.start(before.root), next.start(after.root)])
  for (;;) {
    const level = Math.max(old.level, next.level)
    if (level === atEnd) return
    if (level > atEntry) {
      if (old.level === next.level && old.hash === next.hash) {
        old.skip()
        next.skip()
      } else {
        // Keys below the taller node can equal keys below the other: it must be opened to tell.
        await Promise.all([old.openAt(level), next.openAt(level)])
      }
      continue
    }
    const change = compareEntries(old, next)
    if (change !== undefined) yield change
  }
}

/** Compares what the cursors stand at, entries or ends, and moves those on that stand at the lesser key. */
function compareEntries(old: Cursor, next: Cursor): TreeChange | undefined {
  const order = old.level === atEnd ? 1 : next.level === atEnd ? -1 : compareUtf8(old.key, next.key)
  if (order < 0) {
    const before = old.take()
    return { key: before.key, before }
  }
  if (order > 0) {
    const after = next.take()
    return { key: after.key, after }
  }
  const before = old.take()
  const after = next.take()
  if (before.hash === after.hash && before.size === after.size) return undefined
  return { key: before.key, before, after }
}

/** The level of a cursor that stands at an entry of an opened leaf. */
const atEntry = -1
/** The level of a cursor that has passed everything. */
const atEnd = -2

/** A place in a tree: before a node that is not opened, before an entry, or at the end. */
class Cursor {
  readonly #reader: NodeReader
  readonly #after: string | undefined
  /** Opened nodes from the root down, each with the index of the child or entry that the cursor stands before. */
  readonly #path: { hash: Hash; node: TreeNode; index: number }[] = []

  constructor(reader: NodeReader, after: string | undefined) {
    this.#reader = reader
    this.#after = after
  }

  async start(root: Hash | null): Promise<void> {
    if (root !== null) this.#enter(root, await this.#reader.node(root))
  }

  /** Level of the node that the cursor stands before (0 = a leaf), `atEntry` or `atEnd`. */
  get level(): number {
    const top = this.#path.at(-1)
    return top === undefined ? atEnd : levelOf(top.node) - 1
  }

  /** Hash of the node that the cursor stands before, which must be one. */
  get hash(): Hash | undefined {
    const { node, index } = this.#path.at(-1)!
    return node.kind === 'node' ? node.children[index] : undefined
  }

  /** Key of the entry that the cursor stands before, which must be one. */
  get key(): string {
    const { node, index } = this.#path.at(-1)!
    return keysOf(node)[index]!
  }

  /** Opens the node that the cursor stands before if it is of this level. */
  async openAt(level: number): Promise<void> {
    const top = this.#path.at(-1)
    if (top === undefined || top.node.kind !== 'node' || top.node.level - 1 !== level) return
    this.#enter(top.node.children[top.index]!, await readChild(this.#reader, top.node, top.index))
  }

  /** Passes the node or entry that the cursor stands before, which must not be the end. */
  skip(): void {
    this.#path.at(-1)!.index++
    this.#leaveFinished()
  }

  /** Passes the entry that the cursor stands before and returns it. */
  take(): Located {
    const { hash, node, index } = this.#path.at(-1)!
    if (node.kind !== 'leaf') throw new RangeError('The cursor does not stand at an entry.')
    const entry = locate(hash, node, index)
    this.skip()
    return entry
  }

  #enter(hash: Hash, node: TreeNode): void {
    const index = this.#after === undefined ? 0 : firstAfter(keysOf(node), this.#after)
    this.#path.push({ hash, node, index })
    this.#leaveFinished()
  }

  #leaveFinished(): void {
    for (;;) {
      const top = this.#path.at(-1)
      if (top === undefined || top.index < keysOf(top.node).length) return
      this.#path.pop()
      const parent = this.#path.at(-1)
      if (parent !== undefined) parent.index++
    }
  }
}
