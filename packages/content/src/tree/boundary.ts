/**
 * Node boundaries (content-model §5). They depend on keys alone, so changing a record's value never moves its neighbours between
 * nodes, and the same set of keys is cut in the same way in any order of arrival.
 */
import { hashText } from '../hash.ts'

/** The numbers that cut a tree into nodes. All digests rest on `defaultShape`; tests take smaller ones to grow tall trees of few entries. */
export interface TreeShape {
  /** A leaf ends after a key with at least so many trailing zero bits: its mean length is 2 to that power. */
  leafBits: number
  /** So many zero bits more are needed at every level above: the mean fan-out is 2 to that power. */
  levelBits: number
  /** A leaf never holds more entries. At least 2. */
  leafEntriesMax: number
  /** An interior node never holds more children. At least 2, or levels would never shrink. */
  childrenMax: number
}

/** The shape of every stored tree: 1,024 entries in the mean leaf, a mean fan-out of 64. */
export const defaultShape: TreeShape = Object.freeze({
  leafBits: 10,
  levelBits: 6,
  leafEntriesMax: 8_192,
  childrenMax: 1_024,
})

/** Bits of a key's hash that can decide a boundary: levels that would need more end by number of children only. */
const boundaryBitsMax = 64

/** Hexadecimal digits that write `boundaryBitsMax` bits. */
const boundaryDigits = boundaryBitsMax / 4

/** tz(k): the trailing zero bits (0–64) of the first 8 bytes of SHA-256(`key` as UTF-8), read big-endian. */
export function trailingZeroBits(key: string): number {
  const hash = hashText(key)
  let zeros = 0
  for (let i = boundaryDigits - 1; i >= 0; i--) {
    const code = hash.charCodeAt(i)
    const digit = code < 58 ? code - 48 : code - 87 // '0'–'9' are 48–57, 'a'–'f' are 97–102
    if (digit !== 0) return zeros + (31 - Math.clz32(digit & -digit))
    zeros += 4
  }
  return zeros
}

/** Trailing zero bits with which a key ends a node of `level` (0 = leaf), or Infinity where no key can. */
export function bitsToEnd(shape: TreeShape, level: number): number {
  const bits = shape.leafBits + shape.levelBits * level
  return bits <= boundaryBitsMax ? bits : Number.POSITIVE_INFINITY
}
