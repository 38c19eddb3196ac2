/**
 * Checks trees against content-model §5, and the bodies of their leaves. Checks every node once, even if many versions share it.
 */
import {
  bitsToEnd,
  compareUtf8,
  decodeNode,
  defaultShape,
  type Hash,
  hashBytes,
  type InteriorNode,
  isReferenceLine,
  type LeafNode,
  leafLines,
  recordInlineBytesMax,
  referenceLineTo,
  type Tree,
  TreeError,
  type TreeKind,
  type TreeNode,
  trailingZeroBits,
} from '@ulmus/content'
import { ObjectCorruptError, ObjectMissingError, type ObjectReader } from '@ulmus/storage'
import type { Damages } from './damage.ts'
import { objectName } from './packs.ts'

/** Totals of a node, to compare with its parent's entry. */
interface Summary {
  level: number
  count: number
  bytes: number
  firstKey: string
  lastKey: string
  children: number
  /** True if the node ends at a boundary of its level; only the last node of a level may be false. */
  closed: boolean
}

/** State of a check at some moment: numbers of known nodes and records. */
export interface Learned {
  nodes: number
  records: number
}

/** Leaves of one node that are checked concurrently, each with its body; everything else is checked in sequence. */
const leavesAtOnce = 4

/** Check of any number of trees; remembers the nodes that it has checked. */
export class TreeCheck {
  readonly #objects: ObjectReader
  readonly #damages: Damages
  readonly #known = new Map<string, Summary | undefined>()
  /** Called with each leaf of a file set, once. */
  readonly #files: (leaf: LeafNode, hash: Hash) => Promise<void>
  records = 0

  constructor(objects: ObjectReader, damages: Damages, files: (leaf: LeafNode, hash: Hash) => Promise<void>) {
    this.#objects = objects
    this.#damages = damages
    this.#files = files
  }

  /** Snapshot of the current state, for `forgetSince`. */
  learned(): Learned {
    return { nodes: this.#known.size, records: this.records }
  }

  /** Forgets everything learned since that state, so that it is checked again. */
  forgetSince({ nodes, records }: Learned): void {
    for (const key of [...this.#known.keys()].slice(nodes)) this.#known.delete(key)
    this.records = records
  }

  /** @param holds content of the leaves: records of a type, files, or references */
  async check(tree: Tree, holds: { type: string } | 'files' | 'references', of: string): Promise<void> {
    if (tree.root === null) {
      if (tree.count !== 0 || tree.bytes !== 0) this.#damages.add(of, 'An empty tree has entries.')
      return
    }
    const summary = await this.#node(tree.root, holds)
    if (summary === undefined) return
    const name = nodeName(tree.root)
    if (summary.count !== tree.count || summary.bytes !== tree.bytes) {
      const stated = `${tree.count} entries of ${tree.bytes} bytes`
      this.#damages.add(of, `It says ${stated} of ${name}, which has ${summary.count} of ${summary.bytes}.`)
    }
    if (summary.level > 0 && summary.children === 1)
      this.#damages.add(of, `Its root ${name} has a single child, which should be the root.`)
  }

  /** Undefined if the node, or one beneath it, cannot be read; the damage is reported. */
  async #node(hash: Hash, holds: Parameters<TreeCheck['check']>[1]): Promise<Summary | undefined> {
    const key = `${typeof holds === 'string' ? holds : `=${holds.type}`}:${hash}`
    if (this.#known.has(key)) return this.#known.get(key)
    // Decode strictly. Readers trust the form of a node with the right hash; here it is checked.
    const node = await this.#read(nodeName(hash), async () => decodeNode(await this.#objects.plain(hash)))
    let summary: Summary | undefined
    if (node?.kind === 'node') summary = await this.#interior(hash, node, holds)
    if (node?.kind === 'leaf') summary = await this.#leaf(hash, node, holds)
    this.#known.set(key, summary)
    return summary
  }

  async #read<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      const isDamage = [ObjectCorruptError, ObjectMissingError, TreeError].some(
        (kind) => error instanceof kind,
      )
      if (!isDamage) throw error
      this.#damages.add(what, error as Error)
      return undefined
    }
  }

  async #interior(
    hash: Hash,
    node: InteriorNode,
    holds: Parameters<TreeCheck['check']>[1],
  ): Promise<Summary | undefined> {
    const wrong = (why: string) => this.#damages.add(nodeName(hash), why)
    const below: (Summary | undefined)[] = []
    const atOnce = node.level === 1 ? leavesAtOnce : 1
    for (let i = 0; i < node.children.length; i += atOnce) {
      const some = node.children.slice(i, i + atOnce)
      below.push(...(await Promise.all(some.map((child) => this.#node(child, holds)))))
    }
    for (const [i, child] of below.entries()) {
      if (child === undefined) continue
      const name = nodeName(node.children[i]!)
      if (child.level !== node.level - 1) wrong(`${name} beneath it is of level ${child.level}.`)
      if (child.lastKey !== node.lastKeys[i]) wrong(`It gives ${name} another last key.`)
      if (child.count !== node.counts[i] || child.bytes !== node.bytes[i])
        wrong(`It gives ${name} ${node.counts[i]} entries of ${node.bytes[i]} bytes.`)
      if (i > 0 && compareUtf8(node.lastKeys[i - 1]!, child.firstKey) >= 0)
        wrong(`${name} begins before the child before it ends.`)
      if (!child.closed && i < below.length - 1) wrong(`${name} ends where no node of its level ends.`)
    }
    const last = below.at(-1)
    const whole = this.#edge(hash, node, node.lastKeys)
    if (below[0] === undefined || last === undefined) return undefined
    return {
      level: node.level,
      count: node.counts.reduce((sum, count) => sum + count, 0),
      bytes: node.bytes.reduce((sum, bytes) => sum + bytes, 0),
      firstKey: below[0].firstKey,
      lastKey: node.lastKeys.at(-1)!,
      children: node.children.length,
      closed: whole && last.closed,
    }
  }

  async #leaf(hash: Hash, leaf: LeafNode, holds: Parameters<TreeCheck['check']>[1]): Promise<Summary> {
    const kind: TreeKind = typeof holds === 'string' ? 'set' : 'records'
    if (leaf.tree !== kind) this.#damages.add(nodeName(hash), `It is a leaf of a ${leaf.tree} tree.`)
    else if (typeof holds !== 'string') await this.#body(hash, leaf, holds.type)
    else if (holds === 'files') await this.#files(leaf, hash)
    return {
      level: 0,
      count: leaf.keys.length,
      bytes: leaf.sizes.reduce((sum, size) => sum + size, 0),
      firstKey: leaf.keys[0]!,
      lastKey: leaf.keys.at(-1)!,
      children: 0,
      closed: this.#edge(hash, leaf, leaf.keys),
    }
  }

  /** True if the node ends at a boundary of its level. Reports a node that should have ended earlier. */
  #edge(hash: Hash, node: TreeNode, keys: readonly string[]): boolean {
    const bits = bitsToEnd(defaultShape, node.kind === 'leaf' ? 0 : node.level)
    const max = node.kind === 'leaf' ? defaultShape.leafEntriesMax : defaultShape.childrenMax
    const end = keys.findIndex((key) => trailingZeroBits(key) >= bits)
    if (end !== -1 && end < keys.length - 1)
      this.#damages.add(
        nodeName(hash),
        `It continues after ${JSON.stringify(keys[end])}, where it should end.`,
      )
    return end !== -1 || keys.length === max
  }

  async #body(hash: Hash, leaf: LeafNode, type: string): Promise<void> {
    const what = objectName({ kind: 'body', hash })
    const body = await this.#read(what, () => this.#objects.body(hash))
    if (body === undefined) return
    const lines = leafLines(body)
    if (lines.length !== leaf.keys.length || body.at(-1) !== 0x0a) {
      this.#damages.add(what, `It has ${lines.length} lines for ${leaf.keys.length} entries.`)
      return
    }
    for (const [i, line] of lines.entries()) {
      const why = await this.#line(line, {
        key: leaf.keys[i]!,
        hash: leaf.hashes[i]!,
        size: leaf.sizes[i]!,
        type,
      })
      if (why !== undefined) this.#damages.add(what, `Line ${i + 1} ${why}.`)
    }
    this.records += lines.length
  }

  /** The fault in the line of an entry, if any. */
  async #line(
    line: Uint8Array,
    entry: { key: string; hash: Hash; size: number; type: string },
  ): Promise<string | undefined> {
    const { key, hash, size, type } = entry
    const isLarge = size > recordInlineBytesMax
    if (isReferenceLine(line) !== isLarge)
      return `is ${isLarge ? 'no ' : 'a '}reference, with a record of ${size} bytes`
    if (isLarge && Buffer.compare(line, referenceLineTo(hash)) !== 0)
      return `refers to another record than ${hash}`
    const what = objectName({ kind: 'plain', hash })
    const canonical = isLarge ? await this.#read(what, () => this.#objects.plain(hash)) : line
    if (canonical === undefined) return undefined
    if (canonical.length !== size) return `has ${canonical.length} bytes, not ${size}`
    if (!isLarge && hashBytes(canonical) !== hash) return `does not have the hash ${hash}`
    const start = Buffer.from(`{"id":${JSON.stringify(key)},"type":${JSON.stringify(type)},"data":`)
    return start.equals(canonical.subarray(0, start.length)) ? undefined : `is not of ${type} ${key}`
  }
}

const nodeName = (hash: Hash): string => objectName({ kind: 'plain', hash })
