/**
 * Patches: what an object takes over from its base, line by line, and the literals, which it does not. A patch's operations are
 *
 *     their number · of each: literal bytes to insert · bytes of the base to skip · bytes of the base to copy
 *
 * in varints: seven bits a byte, the lowest first, the eighth bit set in all but the last. Base and literals are both passed once, from
 * front to back. The literals are encoded apart, with what of the base is not copied as dictionary: a changed line costs its changes.
 *
 * Bodies and nodes are sorted by key, so a line that the other has not is found by merging: of two lines that differ, the lesser
 * is passed over. Lines in any other order come out right as well, but take more bytes.
 */

interface Operation {
  insert: number
  skip: number
  copy: number
}

export interface Patch {
  operations: Uint8Array
  literals: Uint8Array
  /** Of the base, what the literals are like: the dictionary for them. */
  like: Uint8Array
}

const lineFeed = 0x0a
/** Before every entry of a node, which has no line feeds: cut after it, nodes are lines as well. */
const bracket = 0x5b

/**
 * Largest share of literals, of the object and of the part compared so far: at a quarter, zstd takes about as long for them as for the
 * whole, and a completely new object fails this early.
 */
const literalShareMax = 1 / 8
/**
 * Ten times the lines of a full leaf. It bounds the memory that operations take, and the time that merging does: keys may be full of
 * brackets.
 */
const operationsMax = 81_920
/**
 * The first bytes of the base are in the dictionary also where they are copied, as an example for added lines, which have no old ones
 * there: without it, one record that is added to a usual body takes 490 bytes, with it 340. Bytes.
 */
const exampleBytes = 4_096

const firstStepBytes = 256
/** So few are compared here faster than natively. Bytes. */
const comparedHereMax = 32

const maskOfSeven = 0x7f
const moreFollow = 0x80
/** Enough for any length of an object. */
const varintBytesMax = 5

/** @returns undefined where too little of `raw` is lines of `base`, or they are too many, for a patch to be worth it. */
export function patchOf(raw: Uint8Array, base: Uint8Array): Patch | undefined {
  const operations = merge(bufferOf(base), bufferOf(raw))
  if (operations === undefined) return undefined
  const literals: Uint8Array[] = []
  let at = 0
  for (const { insert, copy } of operations) {
    literals.push(raw.subarray(at, at + insert))
    at += insert + copy
  }
  return {
    operations: packed(operations),
    literals: Buffer.concat(literals),
    like: likeOf(base, operations),
  }
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)

function merge(base: Buffer, raw: Buffer): Operation[] | undefined {
  const end = raw.includes(lineFeed) ? lineFeed : bracket
  const operations: Operation[] = []
  let [insert, skip, inserted] = [0, 0, 0]
  let [i, j] = [0, 0]
  for (let steps = 1; j < raw.length; steps++) {
    if (steps === operationsMax) return undefined
    let same = commonBytes(base, i, raw, j)
    const copy = wholeLines(base, i, raw, j, same, end)
    if (copy > 0) {
      operations.push({ insert, skip, copy })
      insert = skip = 0
      i += copy
      j += copy
      same -= copy
    }
    if (i < base.length && (base[i + same] ?? -1) < (raw[j + same] ?? -1)) {
      const next = afterLine(base, i + same, end)
      skip += next - i
      i = next
    } else {
      const next = afterLine(raw, j + same, end)
      insert += next - j
      inserted += next - j
      j = next
      if (inserted > (raw.length + next) * literalShareMax) return undefined
    }
  }
  if (insert > 0) operations.push({ insert, skip: 0, copy: 0 })
  return operations
}

/** Of `same` bytes that are the same from `i` and from `j`, those up to the end of a line in both. */
function wholeLines(base: Buffer, i: number, raw: Buffer, j: number, same: number, end: number): number {
  if (same === 0 || (i + same === base.length && j + same === raw.length)) return same
  return Math.max(0, base.lastIndexOf(end, i + same - 1) + 1 - i)
}

function afterLine(bytes: Buffer, at: number, end: number): number {
  const found = bytes.indexOf(end, at)
  return found === -1 ? bytes.length : found + 1
}

/** How many bytes are the same in `a` from `i` and in `b` from `j`: ever longer stretches while they are, then halves. */
function commonBytes(a: Buffer, i: number, b: Buffer, j: number): number {
  const most = Math.min(a.length - i, b.length - j)
  const few = Math.min(most, comparedHereMax)
  let same = 0
  while (same < few && a[i + same] === b[j + same]) same++
  if (same < few || same === most) return same
  let step = Math.min(firstStepBytes, most - same)
  while (a.compare(b, j + same, j + same + step, i + same, i + same + step) === 0) {
    same += step
    if (same === most) return most
    step = Math.min(step * 4, most - same)
  }
  while (step > comparedHereMax) {
    const half = step >> 1
    const differs = a.compare(b, j + same, j + same + half, i + same, i + same + half) !== 0
    if (!differs) same += half
    step = differs ? half : step - half
  }
  while (a[i + same] === b[j + same]) same++
  return same
}

/** Bytes that are not copied, after the first `exampleBytes`. */
function likeOf(base: Uint8Array, operations: readonly Operation[]): Uint8Array {
  const parts = [base.subarray(0, exampleBytes)]
  let at = 0
  for (const { skip, copy } of operations) {
    parts.push(base.subarray(Math.max(at, exampleBytes), Math.max(at + skip, exampleBytes)))
    at += skip + copy
  }
  parts.push(base.subarray(Math.max(at, exampleBytes)))
  return Buffer.concat(parts)
}

function packed(operations: readonly Operation[]): Uint8Array {
  const bytes = new Uint8Array((1 + 3 * operations.length) * varintBytesMax)
  let at = 0
  const put = (number: number) => {
    let left = number
    for (; left > maskOfSeven; left = Math.floor(left / moreFollow))
      bytes[at++] = (left & maskOfSeven) | moreFollow
    bytes[at++] = left
  }
  put(operations.length)
  for (const { insert, skip, copy } of operations) for (const number of [insert, skip, copy]) put(number)
  return bytes.subarray(0, at)
}

/** A patch as it was read: what its literals are decoded with, and how. */
export interface ReadPatch {
  /** Bytes that its operations take, after which the encoded literals begin. */
  length: number
  literalBytes: number
  like: Uint8Array
  /** @param literals Of `literalBytes`. */
  apply(literals: Uint8Array): Uint8Array
}

/**
 * @param rawLength Bytes that the operations must give.
 * @throws Error when they give another number, go beyond the base, or are cut off.
 */
export function readPatch(bytes: Uint8Array, base: Uint8Array, rawLength: number): ReadPatch {
  let at = 0
  const take = (): number => {
    let number = 0
    for (let i = 0; i < varintBytesMax; i++) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('Its operations are cut off.')
      number += (byte & maskOfSeven) * moreFollow ** i
      if (byte < moreFollow) return number
    }
    throw new Error('One of its numbers has no end.')
  }
  const count = take()
  if (count > operationsMax) throw new Error(`It says that it has ${count} operations.`)
  const operations: Operation[] = []
  let [inserted, copied, passed] = [0, 0, 0]
  while (operations.length < count) {
    const operation = { insert: take(), skip: take(), copy: take() }
    inserted += operation.insert
    copied += operation.copy
    passed += operation.skip + operation.copy
    if (passed > base.length) throw new Error('It goes beyond its base.')
    operations.push(operation)
  }
  if (inserted + copied !== rawLength)
    throw new Error(`Its operations give ${inserted + copied} bytes, not ${rawLength}.`)
  return {
    length: at,
    literalBytes: inserted,
    like: likeOf(base, operations),
    apply: (literals) => splice(base, literals, operations, rawLength),
  }
}

function splice(
  base: Uint8Array,
  literals: Uint8Array,
  operations: readonly Operation[],
  length: number,
): Uint8Array {
  const raw = Buffer.allocUnsafeSlow(length)
  let [to, from, at] = [0, 0, 0]
  for (const { insert, skip, copy } of operations) {
    raw.set(literals.subarray(from, from + insert), to)
    raw.set(base.subarray(at + skip, at + skip + copy), to + insert)
    from += insert
    at += skip + copy
    to += insert + copy
  }
  return raw
}
