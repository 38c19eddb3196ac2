/**
 * Compares two trees, in key order, and reads only nodes that the trees do not share: equal keys are cut into equal nodes, so an equal hash
 * means equal content.
 */
import { compareUtf8, type Hash } from '../hash.ts'
import { Ahead } from './ahead.ts'
import { type Child, childAt, firstAfter, keysOf, levelOf, type Tree, type TreeNode } from './node.ts'
import { type Located, locate, type NodeReader, readChild } from './read.ts'

/** A key whose entries differ between the trees: added (no `before`), dropped (no `after`) or with another hash or size. */
export interface TreeChange {
  key: string
  before?: Located
  after?: Located
}

/** Port: reads nodes, may compare leaves in another thread, and may prefetch leaves. */
export interface DiffReader<C extends TreeChange = TreeChange> extends NodeReader {
  /**
   * Compares two leaves that cover the same keys up to the same last key, as `diffTrees` does, in another thread; several comparisons run
   * concurrently. Returns undefined if the caller should read and compare the leaves itself.
   */
  compareLeaves?(before: Child, after: Child): Promise<readonly C[]> | undefined
  /** Called with leaves that the trees do not share, before they are read: those below one node of each tree. */
  prefetch?(leaves: readonly Hash[]): Promise<void>
}

/** Bounds for concurrent comparisons of leaves in other threads. */
const pairsAtOnce = { most: 8, bytesMost: 16_777_216 }

/**
 * Every key whose entries differ between `before` and `after`, in key order; with `options.after` only greater keys. Both trees must
 * have the same kind and shape. Shared nodes are not read, so the cost is proportional to the number of differences.
 */
export async function* diffTrees<C extends TreeChange = TreeChange>(
  before: Tree,
  after: Tree,
  reader: DiffReader<C>,
  options: { after?: string | undefined } = {},
): AsyncGenerator<TreeChange | C> {
  if (before.root === after.root) return
  const old = new Cursor(reader, options.after)
  const next = new Cursor(reader, options.after)
  const ahead = new Ahead<readonly C[]>(pairsAtOnce)
  const isWanted = ({ key }: C) => options.after === undefined || compareUtf8(key, options.after) > 0
  try {
    await Promise.all([old.start(before.root), next.start(after.root)])
    await prefetchLeaves(reader, old, next)
    for (;;) {
      const level = Math.max(old.level, next.level)
      if (level === atEnd) break
      if (level > atEntry && old.level === next.level && old.hash === next.hash) {
        old.skip()
        next.skip()
        continue
      }
      const pair = level === 0 ? leafPair(old, next) : undefined
      if (pair !== undefined && reader.compareLeaves !== undefined) {
        const bytes = pair.before.bytes + pair.after.bytes
        while (!ahead.hasRoom(bytes)) yield* (await ahead.take()).filter(isWanted)
        const compared = reader.compareLeaves(pair.before, pair.after)
        if (compared !== undefined) {
          ahead.add(compared, bytes)
          old.skip()
          next.skip()
          continue
        }
      }
      if (level > atEntry) {
        // Keys below the taller node may equal keys below the other, so it must be opened.
        await Promise.all([old.openAt(level), next.openAt(level)])
        if (level === 1) await prefetchLeaves(reader, old, next)
        continue
      }
      while (!ahead.isEmpty) yield* (await ahead.take()).filter(isWanted)
      const change = compareEntries(old, next)
      if (change !== undefined) yield change
    }
    while (!ahead.isEmpty) yield* (await ahead.take()).filter(isWanted)
  } finally {
    await ahead.settle()
  }
}

async function prefetchLeaves(reader: DiffReader, old: Cursor, next: Cursor): Promise<void> {
  if (reader.prefetch === undefined) return
  const [before, after] = [new Set(old.leavesAhead), new Set(next.leavesAhead)]
  const removed = [...before].filter((hash) => !after.has(hash))
  const added = [...after].filter((hash) => !before.has(hash))
  await reader.prefetch([...removed, ...added])
}

/** The leaves at both cursors, if they end alike. They also begin alike, because everything earlier has been compared. */
function leafPair(old: Cursor, next: Cursor): { before: Child; after: Child } | undefined {
  if (old.level !== 0 || next.level !== 0) return undefined
  const [before, after] = [old.leaf, next.leaf]
  return before.lastKey === after.lastKey ? { before, after } : undefined
}

/** Compares the entries at the cursors, if any, and advances the cursors at the lesser key. */
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

/** Level of a cursor at an entry of an opened leaf. */
const atEntry = -1
/** Level of a cursor at the end of the tree. */
const atEnd = -2

/** A position in a tree: before an unopened node, before an entry, or at the end. */
class Cursor {
  readonly #reader: NodeReader
  readonly #after: string | undefined
  /** Opened nodes from the root down, each with the index of its next child or entry. */
  readonly #path: { hash: Hash; node: TreeNode; index: number }[] = []

  constructor(reader: NodeReader, after: string | undefined) {
    this.#reader = reader
    this.#after = after
  }

  async start(root: Hash | null): Promise<void> {
    if (root !== null) this.#enter(root, await this.#reader.node(root))
  }

  /** Level of the next node (0 = a leaf), `atEntry` or `atEnd`. */
  get level(): number {
    const top = this.#path.at(-1)
    return top === undefined ? atEnd : levelOf(top.node) - 1
  }

  /** Hash of the next node; requires one. */
  get hash(): Hash | undefined {
    const { node, index } = this.#path.at(-1)!
    return node.kind === 'node' ? node.children[index] : undefined
  }

  /** The next leaf; requires one. */
  get leaf(): Child {
    const { node, index } = this.#path.at(-1)!
    if (node.kind === 'leaf') throw new RangeError('The cursor does not stand before a leaf.')
    return childAt(node, index)
  }

  /** Hashes of the next leaf and those after it under the same node; empty if a leaf is not next. */
  get leavesAhead(): Hash[] {
    const top = this.#path.at(-1)
    return top?.node.kind === 'node' && top.node.level === 1 ? top.node.children.slice(top.index) : []
  }

  /** Key of the next entry; requires one. */
  get key(): string {
    const { node, index } = this.#path.at(-1)!
    return keysOf(node)[index]!
  }

  /** Opens the next node if it is of this level. */
  async openAt(level: number): Promise<void> {
    const top = this.#path.at(-1)
    if (top === undefined || top.node.kind !== 'node' || top.node.level - 1 !== level) return
    this.#enter(top.node.children[top.index]!, await readChild(this.#reader, top.node, top.index))
  }

  /** Skips the next node or entry; requires one. */
  skip(): void {
    this.#path.at(-1)!.index++
    this.#leaveFinished()
  }

  /** Returns the next entry and moves past it. */
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
