/**
 * Node boundaries (content-model §5). They depend on keys alone, so changing a record's value never moves its neighbours between
 * nodes, and a set of keys is cut in the same way whatever their order of arrival.
 */
import { hashText } from '../hash.ts'

/**
 * Parameters that cut a tree into nodes. All digests depend on `defaultShape`; tests use smaller ones to grow tall trees from few entries.
 */
export interface TreeShape {
  /** A leaf ends after a key with at least this many trailing zero bits: its mean length is 2 to that power. */
  leafBits: number
  /** Additional zero bits required at each higher level: the mean fan-out is 2 to that power. */
  levelBits: number
  /** Maximum number of entries in a leaf. At least 2. */
  leafEntriesMax: number
  /** Maximum number of children of an interior node. At least 2, or levels would never shrink. */
  childrenMax: number
}

/** The shape of every stored tree: 1,024 entries in the mean leaf, a mean fan-out of 64. Never change it: all digests would change. */
export const defaultShape: TreeShape = Object.freeze({
  leafBits: 10,
  levelBits: 6,
  leafEntriesMax: 8_192,
  childrenMax: 1_024,
})

/** Bits of a key's hash that can decide a boundary: nodes of levels that need more end by number of children only. */
const boundaryBitsMax = 64

/** Hexadecimal digits for `boundaryBitsMax` bits. */
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

/** Trailing zero bits with which a key ends a node of `level` (0 = leaf), or Infinity if no key can. */
export function bitsToEnd(shape: TreeShape, level: number): number {
  const bits = shape.leafBits + shape.levelBits * level
  return bits <= boundaryBitsMax ? bits : Number.POSITIVE_INFINITY
}
