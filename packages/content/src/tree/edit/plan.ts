/**
 * Plan of an edit to a tree, from left to right: the old nodes that are reused whole, and the ranges between them to edit. Reads the
 * interior nodes that contain edits, and no leaves except a root and those with very many edits.
 */
import { compareUtf8, type Hash } from '../../hash.ts'
import { bitsToEnd, type TreeShape, trailingZeroBits } from '../boundary.ts'
import { type Child, childAt, type InteriorNode, type LeafNode, type Tree } from '../node.ts'
import { checkPlace, type NodeReader, readChild } from '../read.ts'
import type { Edit, EditQueue } from './queue.ts'
import type { EditRange } from './range.ts'

/** `pass`: reuse an old node. `turn`: the following items of that level come from the old node `source`, or from none. */
export type Step<P> =
  | { do: 'pass'; level: number; child: Child }
  | { do: 'turn'; level: number; source: Hash | undefined }
  | { do: 'edit'; range: EditRange<P> }

/** An edit range that may still grow. */
interface OpenRange<P> {
  after: string | undefined
  leaves: Child[]
  edits: Edit<P>[]
  goesOn: boolean
  /** Number of entries in its old leaves. */
  held: number
}

/** Yields the steps of an edit. It reads the queue of edits as it goes, so the steps must be executed in order. */
export class EditPlan<P> {
  readonly #edits: EditQueue<P>
  readonly #reader: NodeReader
  readonly #shape: TreeShape
  readonly #isUnfinished: () => boolean
  #open: OpenRange<P> | undefined

  /**
   * @param edits already loaded
   * @param isUnfinished whether the last range left its leaf unfinished; called after a range that does not end
   */
  constructor(edits: EditQueue<P>, reader: NodeReader, shape: TreeShape, isUnfinished: () => boolean) {
    this.#edits = edits
    this.#reader = reader
    this.#shape = shape
    this.#isUnfinished = isUnfinished
  }

  async *steps(base: Tree): AsyncGenerator<Step<P>> {
    if (base.root !== null) {
      const root = await this.#reader.node(base.root)
      if (root.kind === 'node') yield* this.#planInterior(base.root, root, true)
      else {
        const { root: hash, count, bytes } = base
        yield* this.#planLeaf({ hash, lastKey: root.keys.at(-1)!, count, bytes }, true)
      }
    }
    yield* this.#planRest()
  }

  async *#planInterior(hash: Hash, node: InteriorNode, isLast: boolean): AsyncGenerator<Step<P>> {
    yield { do: 'turn', level: node.level, source: hash }
    const end = node.children.length - 1
    for (let i = 0; i <= end; i++) {
      const child = childAt(node, i)
      if (node.level === 1) yield* this.#planLeaf(child, isLast && i === end)
      else if (this.#isWhole(node.level - 1, child, isLast && i === end))
        yield { do: 'pass', level: node.level - 1, child }
      else {
        // Below level 1 there are only interior nodes, or misplaced ones.
        const below = (await readChild(this.#reader, node, i)) as InteriorNode
        yield* this.#planInterior(child.hash, below, isLast && i === end)
      }
    }
    yield { do: 'turn', level: node.level, source: undefined }
  }

  /** True if an old node can be reused whole. `isLast`: no old entry follows the node's. */
  #isWhole(level: number, child: Child, isLast: boolean): boolean {
    const edit = this.#edits.current
    if (this.#open !== undefined) return false
    if (edit === undefined) return true
    if (compareUtf8(edit.key, child.lastKey) <= 0) return false
    return !isLast || this.#endsNode(level, child.lastKey) || (level === 0 && this.#isFull(child))
  }

  async *#planLeaf(child: Child, isLast: boolean): AsyncGenerator<Step<P>> {
    if (this.#isWhole(0, child, isLast)) {
      yield { do: 'pass', level: 0, child }
      return
    }
    const { lastKey } = child
    const edits = this.#edits
    let open = this.#grow(child)
    let keepsLast = true
    let held: ReadonlySet<string> | undefined
    for (let edit = edits.current; edit !== undefined; edit = edits.current) {
      const order = compareUtf8(edit.key, lastKey)
      if (order > 0) break
      if (held === undefined || mayChange(edit, held)) open.edits.push(edit)
      if (order === 0) keepsLast = edit.put !== undefined
      if (!edits.step()) await edits.load()
      if (order === 0) continue
      if (this.#endsLeaf(edit)) {
        yield this.#close(edit.key)
        open = this.#grow(child, edit.key)
      } else if (this.#isLong(open)) {
        if (held === undefined && open.leaves.length === 1) {
          const known = await this.#keysOf(child)
          open.edits = open.edits.filter((one) => mayChange(one, known))
          held = known
        }
        if (!this.#isLong(open)) continue
        yield* this.#breakOff(open, edit.key)
        open = this.#grow(child, edit.key)
      }
    }
    if (keepsLast && this.#endsNode(0, lastKey)) yield this.#close(lastKey)
    else if (!isLast && (this.#isFull(child) || this.#isLong(open))) yield* this.#breakOff(open)
  }

  /** Plans the edits after the last old entry: drops have no effect there. */
  async *#planRest(): AsyncGenerator<Step<P>> {
    const edits = this.#edits
    for (let edit = edits.current; edit !== undefined; edit = edits.current) {
      if (!edits.step()) await edits.load()
      if (edit.put === undefined) continue
      const open = this.#grow()
      open.edits.push(edit)
      if (this.#endsLeaf(edit)) yield this.#close(edit.key)
      else if (this.#isLong(open)) yield* this.#breakOff(open)
    }
    if (this.#open !== undefined) yield this.#close(undefined)
  }

  #grow(leaf?: Child, after?: string): OpenRange<P> {
    this.#open ??= { after, leaves: [], edits: [], goesOn: false, held: 0 }
    if (leaf !== undefined) {
      this.#open.leaves.push(leaf)
      this.#open.held += leaf.count
    }
    return this.#open
  }

  #close(through: string | undefined): Step<P> {
    const { after, leaves, edits, goesOn } = this.#open!
    this.#open = undefined
    return { do: 'edit', range: { after, through, leaves, edits, goesOn, ends: true } }
  }

  /**
   * Ends a range whose leaf may continue, because the leaf ended by its length alone, or because no key has ended one for long. If the leaf
   * is complete after all, the next range begins with a new leaf.
   * @param through end of the range within its last old leaf; undefined: it covers the whole leaf
   */
  async *#breakOff(
    { after, leaves, edits, goesOn }: OpenRange<P>,
    through?: string,
  ): AsyncGenerator<Step<P>> {
    this.#open = undefined
    yield { do: 'edit', range: { after, through, leaves, edits, goesOn, ends: false } }
    if (this.#isUnfinished()) this.#open = { after: through, leaves: [], edits: [], goesOn: true, held: 0 }
  }

  async #keysOf({ hash, lastKey }: Child): Promise<ReadonlySet<string>> {
    const leaf = await this.#reader.node(hash)
    checkPlace(hash, leaf, { level: 0, lastKey })
    return new Set((leaf as LeafNode).keys)
  }

  #isFull({ count }: Child): boolean {
    return count >= this.#shape.leafEntriesMax
  }

  /** True if a range has more entries and edits than two full leaves. */
  #isLong({ held, edits }: OpenRange<P>): boolean {
    return held + edits.length > 2 * this.#shape.leafEntriesMax
  }

  #endsLeaf({ key, put }: Edit<P>): boolean {
    return put !== undefined && this.#endsNode(0, key)
  }

  #endsNode(level: number, lastKey: string): boolean {
    return trailingZeroBits(lastKey) >= bitsToEnd(this.#shape, level)
  }
}

/** True if an edit may change a leaf with these keys: a drop of an absent key has no effect. */
const mayChange = ({ key, put }: Edit<unknown>, held: ReadonlySet<string>): boolean =>
  put !== undefined || held.has(key)
