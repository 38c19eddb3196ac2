/**
 * Editing leaves. Both ends of a range are leaf boundaries whatever the rest of the tree contains, so ranges can be edited
 * independently, concurrently and in other threads: their results in order are the leaves of the new tree.
 */
import { compareUtf8, type Hash, hashText } from '../../hash.ts'
import { bitsToEnd, type TreeShape, trailingZeroBits } from '../boundary.ts'
import { type Child, encodeNode, firstAfter, type LeafNode, noHash, type TreeKind } from '../node.ts'
import { TreeError } from '../tree-error.ts'
import { Origin } from './origin.ts'
import type { Edit } from './queue.ts'

/** Value of a key: hash (empty in a set), size in bytes, and the port's payload. */
export interface Entry<P> {
  hash: Hash
  size: number
  payload: P
}

/** An actual change of an entry. A put of the existing hash and size is no change. */
export interface Change<P> {
  key: string
  before?: Entry<P> | undefined
  after?: Entry<P> | undefined
}

/** The keys after `after` (undefined: from the start) up to `through` (undefined: to the end of its leaves and edits). */
export interface EditRange<P> {
  after: string | undefined
  through: string | undefined
  /** Old leaves with keys of the range. The first may have keys before the range, the last keys after it. */
  leaves: readonly Child[]
  /** Edits of its keys, ascending. */
  edits: readonly Edit<P>[]
  /** True if the range begins within a leaf that the previous range left unfinished. */
  goesOn: boolean
  /** If false, the next range continues this one's last leaf; there is then a next range. */
  ends: boolean
}

/** An old leaf as read; one payload per entry, or none at all if only `changesAnything` is called. */
export interface OpenedLeaf<P> {
  hash: Hash
  leaf: LeafNode
  payloads: readonly P[]
}

/** A new leaf. `replaces`: the old leaf that had most of its keys, if any. */
export interface NewLeaf<P> {
  hash: Hash
  text: string
  leaf: LeafNode
  payloads: P[]
  replaces?: Hash | undefined
}

/** Result of an edited range. */
export interface EditedRange<P> {
  /** All leaves of the range in key order, including old ones. `made`: present for a new one. */
  leaves: (Child & { made?: NewLeaf<P> })[]
  changes: Change<P>[]
  /** The last leaf, if the range ends within it: the next range continues it. */
  unfinished: UnfinishedLeaf<P> | undefined
}

/** Kind and shape by which a tree is cut into leaves. */
export interface Cut {
  kind: TreeKind
  shape: TreeShape
}

/** True if an edit changes the leaf. `index`: position of the first entry with a key ≥ the edit's. */
function isChange<P>(edit: Edit<P>, leaf: LeafNode, index: number): boolean {
  if (leaf.keys[index] !== edit.key) return edit.put !== undefined
  if (edit.put === undefined || edit.put.size !== leaf.sizes[index]) return true
  return leaf.tree === 'records' && edit.put.hash !== leaf.hashes[index]
}

/** True if any edit of a range has an effect. */
export function changesAnything<P>({ edits }: EditRange<P>, opened: readonly OpenedLeaf<P>[]): boolean {
  const leaves = opened.values()
  let leaf = leaves.next().value?.leaf
  let index = 0
  for (const edit of edits) {
    while (
      leaf !== undefined &&
      (index === leaf.keys.length || compareUtf8(leaf.keys[index]!, edit.key) < 0)
    ) {
      if (++index < leaf.keys.length) continue
      leaf = leaves.next().value?.leaf
      index = 0
    }
    if (leaf === undefined ? edit.put !== undefined : isChange(edit, leaf, index)) return true
  }
  return false
}

/**
 * The leaves of an edited range and its changes.
 * @param opened its old leaves, in order
 * @param before the leaf that the previous range left unfinished
 * @throws TreeError `node_misplaced` for a leaf of another kind, `payloads_mismatched`.
 */
export function editRange<P>(
  range: EditRange<P>,
  opened: readonly OpenedLeaf<P>[],
  { kind, shape }: Cut,
  before?: UnfinishedLeaf<P>,
): EditedRange<P> {
  const leaves: EditedRange<P>['leaves'] = []
  const changes: Change<P>[] = []
  const unfinished = before ?? new UnfinishedLeaf<P>({ kind, shape })
  const { edits } = range
  let at = 0

  function add(key: string, entry: Entry<P>, zeros: number): void {
    if (unfinished.add(key, entry, zeros)) finish()
  }
  function finish(): void {
    const { child, made, isOld } = unfinished.finish()
    leaves.push(isOld ? child : { ...child, made })
  }
  function insert({ key, put }: Edit<P>): void {
    if (put === undefined) return
    const after = kind === 'set' ? { ...put, hash: noHash } : put
    changes.push({ key, after })
    add(key, after, trailingZeroBits(key))
  }

  for (const { hash, leaf, payloads } of opened) {
    checkLeaf(hash, leaf, payloads, kind)
    const { keys, hashes, sizes } = leaf
    const from = range.after === undefined ? 0 : firstAfter(keys, range.after)
    const end = range.through === undefined ? keys.length : firstAfter(keys, range.through)
    unfinished.turn(hash)
    for (let i = from; i < end; i++) {
      const key = keys[i]!
      while (at < edits.length && compareUtf8(edits[at]!.key, key) < 0) insert(edits[at++]!)
      // The inner keys of a leaf do not end leaves, or this one would have ended there.
      const zeros = i === keys.length - 1 ? trailingZeroBits(key) : 0
      const old = { hash: hashes[i] ?? noHash, size: sizes[i]!, payload: payloads[i]! }
      const edit = edits[at]
      if (edit?.key !== key) {
        add(key, old, zeros)
        continue
      }
      at++
      if (!isChange(edit, leaf, i)) add(key, old, zeros)
      else {
        const after = edit.put && (kind === 'set' ? { ...edit.put, hash: noHash } : edit.put)
        changes.push({ key, before: old, after })
        if (after !== undefined) add(key, after, zeros)
      }
    }
    unfinished.turn(undefined)
  }
  while (at < edits.length) insert(edits[at++]!)
  // The last key does not end its leaf by its zeros, or that leaf would be complete.
  if (range.ends && !unfinished.isEmpty) finish()
  return { leaves, changes, unfinished: range.ends ? undefined : unfinished }
}

function checkLeaf(hash: Hash, leaf: LeafNode, payloads: readonly unknown[], kind: TreeKind): void {
  if (leaf.tree !== kind)
    throw new TreeError('node_misplaced', `Leaf ${hash} is of a ${leaf.tree} tree, not of a ${kind} tree.`)
  if (payloads.length !== leaf.keys.length)
    throw new TreeError('payloads_mismatched', `Leaf ${hash} came with ${payloads.length} payloads.`)
}

/** A leaf under construction. */
export class UnfinishedLeaf<P> {
  readonly #kind: TreeKind
  readonly #leafBits: number
  readonly #entriesMax: number
  readonly #origin = new Origin()
  #leaf: LeafNode
  #payloads: P[] = []
  #bytes = 0

  constructor({ kind, shape }: Cut) {
    this.#kind = kind
    this.#leafBits = bitsToEnd(shape, 0)
    this.#entriesMax = shape.leafEntriesMax
    this.#leaf = emptyLeaf(kind)
  }

  get isEmpty(): boolean {
    return this.#leaf.keys.length === 0
  }

  /** Sets the old leaf that the following entries come from; undefined if none. */
  turn(source: Hash | undefined): void {
    this.#origin.turn(this.#leaf.keys.length, source)
  }

  /**
   * Adds an entry; `zeros` are the trailing zero bits of its key, or 0 if it is known not to end a leaf. Returns whether the leaf is
   * complete.
   */
  add(key: string, { hash, size, payload }: Entry<P>, zeros: number): boolean {
    const { keys, hashes, sizes } = this.#leaf
    keys.push(key)
    if (this.#kind === 'records') hashes.push(hash)
    sizes.push(size)
    this.#payloads.push(payload)
    this.#bytes += size
    return zeros >= this.#leafBits || keys.length >= this.#entriesMax
  }

  /** Completes the leaf and begins another. `isOld`: it equals the leaf that it would replace. */
  finish(): { child: Child; made: NewLeaf<P>; isOld: boolean } {
    const [leaf, payloads, bytes] = [this.#leaf, this.#payloads, this.#bytes]
    this.#leaf = emptyLeaf(this.#kind)
    this.#payloads = []
    this.#bytes = 0
    const text = encodeNode(leaf)
    const hash = hashText(text)
    const replaces = this.#origin.finish(leaf.keys.length)
    const child = { hash, lastKey: leaf.keys.at(-1)!, count: leaf.keys.length, bytes }
    return { child, made: { hash, text, leaf, payloads, replaces }, isOld: this.#origin.knows(hash) }
  }
}

function emptyLeaf(tree: TreeKind): LeafNode {
  return { kind: 'leaf', tree, keys: [], hashes: [], sizes: [] }
}
