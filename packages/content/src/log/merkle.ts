/**
 * Merkle trees of a log, as in RFC 6962 §2.1 and RFC 9162 §2.1: roots, inclusion and consistency, over hashes that are read on demand. A
 * hash has 32 bytes. Sizes and indexes are safe integers.
 */
import { digestBytes } from '../hash.ts'
import { LogError } from './log-error.ts'

/** Place of a complete subtree: leaves from `index * 2 ** level` on, `2 ** level` of them. Level 0 is the hashes of leaves. */
export interface Subtree {
  readonly level: number
  readonly index: number
}

/** Reads hashes of complete subtrees, in the order of the places. */
export type HashReader = (places: readonly Subtree[]) => Promise<readonly Uint8Array[]>

const [leafPrefix, nodePrefix] = [0, 1]

/** Hash of a leaf: SHA-256 of a zero byte and the entry. */
export const leafHashOf = (entry: Uint8Array): Uint8Array => digestBytes(joined([leafPrefix], entry))

/** Hash of two subtrees side by side: SHA-256 of a one byte and both hashes. */
export const nodeHashOf = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  digestBytes(joined([nodePrefix], left, right))

/** Root of a log without leaves: SHA-256 of nothing. */
export const emptyRoot = (): Uint8Array => digestBytes(new Uint8Array())

/** Root of the first `size` leaves. */
export async function rootOf(size: number, read: HashReader): Promise<Uint8Array> {
  if (size === 0) return emptyRoot()
  return (await hashesOf([{ from: 0, to: size }], read))[0]!
}

/** Proof that a leaf is in a tree, nearest sibling first. @throws LogError unless `index` is below `size` */
export function inclusionProof(index: number, size: number, read: HashReader): Promise<Uint8Array[]> {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size))
    throw new LogError(`A log of ${size} has no leaf ${index}.`)
  return hashesOf(inclusionRanges(index, { from: 0, to: size }), read)
}

/** Proof that a tree of `size` continues one of `before` leaves. Empty if `before` is 0 or `size`. @throws LogError if it is larger */
export function consistencyProof(before: number, size: number, read: HashReader): Promise<Uint8Array[]> {
  if (before > size) throw new LogError(`A log of ${size} does not continue one of ${before}.`)
  if (before === 0 || before === size) return Promise.resolve([])
  return hashesOf(consistencyRanges(before, { from: 0, to: size }, true), read)
}

/** Root that a proof of inclusion leads to (RFC 9162 §2.1.3.2). @throws LogError if the proof does not fit the sizes */
export function rootByInclusion(
  { index, size }: { index: number; size: number },
  leafHash: Uint8Array,
  proof: readonly Uint8Array[],
): Uint8Array {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size))
    throw new LogError(`A log of ${size} has no leaf ${index}.`)
  let [at, last, hash] = [index, size - 1, leafHash]
  for (const sibling of proof) {
    if (last === 0) throw new LogError('The proof of inclusion is too long.')
    if (at % 2 === 1 || at === last) {
      hash = nodeHashOf(sibling, hash)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHashOf(hash, sibling)
    ;[at, last] = [half(at), half(last)]
  }
  if (last !== 0) throw new LogError('The proof of inclusion is too short.')
  return hash
}

/**
 * Checks that a tree continues another (RFC 9162 §2.1.4.2).
 * @throws LogError if it does not
 */
export function checkConsistency(
  before: { size: number; root: Uint8Array },
  after: { size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): void {
  const fails = () =>
    new LogError(
      `The log, with ${after.size} entries, does not continue the one of before, with ${before.size}: its readers get different histories.`,
    )
  if (before.size > after.size) throw fails()
  if (before.size === after.size || before.size === 0) {
    const isSame = before.size === 0 || equalBytes(before.root, after.root)
    if (proof.length > 0 || !isSame) throw fails()
    return
  }
  const path = isPower(before.size) ? [before.root, ...proof] : [...proof]
  let [at, last] = [before.size - 1, after.size - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  const start = path.shift()
  if (start === undefined) throw fails()
  let [old, grown] = [start, start]
  for (const sibling of path) {
    if (last === 0) throw fails()
    if (at % 2 === 1 || at === last) {
      old = nodeHashOf(sibling, old)
      grown = nodeHashOf(sibling, grown)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else grown = nodeHashOf(grown, sibling)
    ;[at, last] = [half(at), half(last)]
  }
  if (last !== 0 || !equalBytes(old, before.root) || !equalBytes(grown, after.root)) throw fails()
}

/** Leaves from `from` to before `to`. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Divides at the largest power of two below the length. */
function halves({ from, to }: Range): [Range, Range] {
  let size = 1
  while (size * 2 < to - from) size *= 2
  return [
    { from, to: from + size },
    { from: from + size, to },
  ]
}

function inclusionRanges(index: number, range: Range): Range[] {
  if (range.to - range.from === 1) return []
  const [left, right] = halves(range)
  return index < left.to ? [...inclusionRanges(index, left), right] : [...inclusionRanges(index, right), left]
}

/** @param isWhole true while the older tree is a whole subtree of its own, whose root the reader knows */
function consistencyRanges(before: number, range: Range, isWhole: boolean): Range[] {
  if (before === range.to) return isWhole ? [] : [range]
  const [left, right] = halves(range)
  return before <= left.to
    ? [...consistencyRanges(before, left, isWhole), right]
    : [...consistencyRanges(before, right, false), left]
}

/** Hashes of ranges; reads the complete subtrees of all of them at once. */
async function hashesOf(ranges: readonly Range[], read: HashReader): Promise<Uint8Array[]> {
  const parts = ranges.map(subtreesOf)
  const hashes = await read(parts.flat())
  let at = 0
  return parts.map((places) => {
    const own = hashes.slice(at, at + places.length)
    at += places.length
    return own.reduceRight((right, left) => nodeHashOf(left, right))
  })
}

/** Complete subtrees of a range that begins at a multiple of its own size, from left to right. */
function subtreesOf(range: Range): Subtree[] {
  const size = range.to - range.from
  if (isPower(size)) return [{ level: Math.log2(size), index: range.from / size }]
  const [left, right] = halves(range)
  return [...subtreesOf(left), ...subtreesOf(right)]
}

const half = (value: number): number => Math.floor(value / 2)

const isPower = (size: number): boolean => Number.isInteger(Math.log2(size))

const joined = (...parts: (Uint8Array | number[])[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])
