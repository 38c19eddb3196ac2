/**
 * Reads rows of a stored leaf in place, for worker threads that need a few out of a thousand: only requested rows become strings, and
 * rows that two leaves share are skipped without parsing.
 */
import { compareUtf8, type Hash } from '../../hash.ts'
import { parseJson } from '../../json/parse.ts'
import { leafLineLength } from '../../records/leaf-body.ts'
import type { TreeChange } from '../diff.ts'
import type { Child } from '../node.ts'
import type { Located } from '../read.ts'
import { TreeError } from '../tree-error.ts'

/** `{"e":[` */
const headLength = 6
/** `,"` and the 64 digits of a hash and `",` */
const hashFieldLength = 68
/** `["k","<hash>",0]` and the comma after it. */
const rowLengthMin = 4 + hashFieldLength + 3
const leafEnd = Buffer.from('],"t":"leaf"}')

const quote = 0x22
const comma = 0x2c
const zero = 0x30
const nine = 0x39
const opening = 0x5b
const backslash = 0x5c
const closing = 0x5d

/** Rows `["key","hash",size]`, ascending by key. */
export class LeafRows {
  readonly leaf: Hash
  readonly length: number
  readonly #bytes: Buffer
  /** Start of each row, then the start that a further row would have. */
  readonly #starts: Uint32Array
  /** Positions of the quotes that end the keys. */
  readonly #keyEnds: Uint32Array
  readonly #sizes: Float64Array

  /**
   * @param bytes a node that was verified against its hash
   * @throws TreeError `node_misplaced` if it is not a leaf of records, or its last key contradicts its parent.
   */
  constructor({ hash, lastKey }: Pick<Child, 'hash' | 'lastKey'>, bytes: Uint8Array) {
    const most = Math.ceil(bytes.length / rowLengthMin)
    this.leaf = hash
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#starts = new Uint32Array(most + 1)
    this.#keyEnds = new Uint32Array(most)
    this.#sizes = new Float64Array(most)
    this.length = this.#findRows()
    if (this.length === 0 || this.key(this.length - 1) !== lastKey)
      throw new TreeError('node_misplaced', `Node ${hash} is not at the level or the keys its parent says.`)
  }

  /** @returns the number of rows; 0 if the bytes are not those of a leaf of records. */
  #findRows(): number {
    const bytes = this.#bytes
    const end = bytes.length - leafEnd.length
    if (end < headLength || !leafEnd.equals(bytes.subarray(end))) return 0
    for (let row = 0, at = headLength; bytes[at] === opening; at++) {
      this.#starts[row] = at
      at += 2
      while (at < end && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
      this.#keyEnds[row] = at
      if (bytes[at + 2] !== quote) return 0
      at += 1 + hashFieldLength
      let size = 0
      for (; bytes[at]! >= zero && bytes[at]! <= nine; at++) size = size * 10 + (bytes[at]! - zero)
      if (bytes[at] !== closing) return 0
      this.#sizes[row++] = size
      this.#starts[row] = ++at + 1
      if (at === end) return row
      if (bytes[at] !== comma) return 0
    }
    return 0
  }

  key(row: number): string {
    return parseJson(this.#bytes.toString('utf8', this.#starts[row]! + 1, this.#keyEnds[row]! + 1)) as string
  }

  hash(row: number): Hash {
    const start = this.#keyEnds[row]! + 3
    return this.#bytes.toString('latin1', start, start + 64) as Hash
  }

  /** Size of the record's canonical form. Bytes. */
  size(row: number): number {
    return this.#sizes[row]!
  }

  at(row: number): Located {
    return { key: this.key(row), hash: this.hash(row), size: this.size(row), leaf: this.leaf, index: row }
  }

  /** The first row with a key ≥ `key`; `length` if there is none. */
  #firstAtLeast(key: string): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareUtf8(this.key(middle), key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The first row with a key > `key`; `length` if there is none. */
  firstAfter(key: string): number {
    const row = this.#firstAtLeast(key)
    return row < this.length && this.key(row) === key ? row + 1 : row
  }

  /** The row with this key. */
  find(key: string): Located | undefined {
    const row = this.#firstAtLeast(key)
    return row < this.length && this.key(row) === key ? this.at(row) : undefined
  }

  /** Start of each record's line in the leaf's body, and at last the body's end. Bytes. */
  lineStarts(): Float64Array {
    const starts = new Float64Array(this.length + 1)
    for (let row = 0; row < this.length; row++)
      starts[row + 1] = starts[row]! + leafLineLength(this.#sizes[row]!) + 1
    return starts
  }

  /** Number of consecutive rows from `row` on that equal those of `other` from `otherRow` on: compares growing, then shrinking steps. */
  sameRows(row: number, other: LeafRows, otherRow: number): number {
    let same = 0
    let isGrowing = true
    for (let step = 1; step >= 1; ) {
      const some = Math.min(step, this.length - row - same, other.length - otherRow - same)
      if (some > 0 && this.#areSame(row + same, other, otherRow + same, some)) same += some
      else isGrowing = false
      step = isGrowing ? step * 2 : step / 2
    }
    return same
  }

  #areSame(row: number, other: LeafRows, otherRow: number, some: number): boolean {
    // Compares up to the bracket that ends the last row; the next character depends on whether there are more rows.
    const [start, end] = [this.#starts[row]!, this.#starts[row + some]! - 1]
    const [otherStart, otherEnd] = [other.#starts[otherRow]!, other.#starts[otherRow + some]! - 1]
    return (
      end - start === otherEnd - otherStart &&
      this.#bytes.compare(other.#bytes, otherStart, otherEnd, start, end) === 0
    )
  }
}

/** Differences between two leaves, in key order. */
export function leafChanges(before: LeafRows, after: LeafRows): TreeChange[] {
  const changes: TreeChange[] = []
  for (let i = 0, j = 0; ; ) {
    const same = before.sameRows(i, after, j)
    i += same
    j += same
    const old = i < before.length ? before.at(i) : undefined
    const next = j < after.length ? after.at(j) : undefined
    if (old === undefined && next === undefined) return changes
    const order = old === undefined ? 1 : next === undefined ? -1 : compareUtf8(old.key, next.key)
    changes.push({
      key: (order > 0 ? next : old)!.key,
      ...(order <= 0 && { before: old! }),
      ...(order >= 0 && { after: next! }),
    })
    if (order <= 0) i++
    if (order >= 0) j++
  }
}
