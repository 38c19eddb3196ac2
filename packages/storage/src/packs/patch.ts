/**
 * Patches: the lines that an object copies from its base, and the literals, which are its other bytes. A patch's operations are
 *
 *     their number · of each: literal bytes to insert · bytes of the base to skip · bytes of the base to copy
 *
 * in varints: seven bits a byte, the lowest first, the eighth bit set in all but the last. Base and literals are both traversed once, from
 * front to back. The literals are compressed separately, with the uncopied parts of the base as dictionary: a changed line costs its changes.
 *
 * Bodies and nodes are sorted by key, so a merge finds the lines that only one side has: of two lines that differ, the lesser
 * is skipped. Lines in any other order also produce a correct patch, but a larger one.
 */

interface Operation {
  insert: number
  skip: number
  copy: number
}

/** A patch for encoding. */
export interface Patch {
  operations: Uint8Array
  literals: Uint8Array
  /** Parts of the base that resemble the literals: their dictionary. */
  like: Uint8Array
}

const lineFeed = 0x0a
/** Precedes every entry of a node. Nodes have no line feeds; cut after this byte, they have lines as well. */
const bracket = 0x5b

/**
 * Largest share of literals, of the object and of the part compared so far. At a quarter, zstd takes about as long for them as for the
 * whole object. A completely new object exceeds the share early.
 */
const literalShareMax = 1 / 8
/**
 * Ten times the number of lines in a full leaf. Bounds the operations' memory and the merge's time, because keys may contain
 * many brackets.
 */
const operationsMax = 81_920
/**
 * The dictionary includes the first bytes of the base even where they are copied, as a sample for added lines, which have no old
 * counterpart. One record added to a typical body takes 340 bytes with it, 490 without. Bytes.
 */
const exampleBytes = 4_096

/** First stretch that `commonBytes` compares; each further one is twice as long. */
const firstStepBytes = 256
/** Up to this many bytes, comparing in JavaScript is faster than natively. */
const comparedHereMax = 32

/** The value bits of a byte of a varint. */
const maskOfSeven = 0x7f
/** The bit that is set in all bytes of a varint except the last. */
const moreFollow = 0x80
/** Enough for any length of an object. */
const varintBytesMax = 5

/** @returns undefined if too little of `raw` consists of lines of `base`, or there are too many lines, for a patch to pay off. */
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

/** Reduces `same`, the number of equal bytes from `i` and from `j`, to whole lines in both. */
function wholeLines(base: Buffer, i: number, raw: Buffer, j: number, same: number, end: number): number {
  if (same === 0 || (i + same === base.length && j + same === raw.length)) return same
  return Math.max(0, base.lastIndexOf(end, i + same - 1) + 1 - i)
}

function afterLine(bytes: Buffer, at: number, end: number): number {
  const found = bytes.indexOf(end, at)
  return found === -1 ? bytes.length : found + 1
}

/** Number of equal bytes in `a` from `i` and in `b` from `j`: compares doubling stretches, then bisects. */
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

/** The first `exampleBytes` of the base, then its bytes that are not copied. */
function likeOf(base: RawParts, operations: readonly Operation[]): Uint8Array {
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

/** Raw bytes that are read in parts: an array, or a patched object. Parts may be views. */
export type RawParts = Pick<Uint8Array, 'length' | 'subarray'>

/** A decoded patch: the dictionary of its literals, and the function that applies them. */
export interface ReadPatch {
  /** Size of the operations, after which the encoded literals begin. Bytes. */
  length: number
  literalBytes: number
  like: Uint8Array
  /** @param literals Decoded literals, of `literalBytes` bytes. */
  apply(literals: Uint8Array): RawParts
}

/**
 * @param rawLength Bytes that the operations must produce.
 * @throws Error if they produce another number, exceed the base, or are cut off.
 */
export function readPatch(bytes: Uint8Array, base: RawParts, rawLength: number): ReadPatch {
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
    apply: (literals) => new Patched(base, literals, operations),
  }
}

/** A piece of a patched object. Bytes. */
interface Piece {
  /** Its start in the object. */
  to: number
  source: RawParts
  /** Its start in the source. */
  from: number
  length: number
}

/** A patched object that copies only the parts that are read: the base of a patch is usually large, and its changes are few. */
class Patched implements RawParts {
  readonly length: number
  readonly #pieces: Piece[] = []

  constructor(base: RawParts, literals: Uint8Array, operations: readonly Operation[]) {
    let [to, from, at] = [0, 0, 0]
    const add = (source: RawParts, start: number, length: number) => {
      if (length > 0) this.#pieces.push({ to, source, from: start, length })
      to += length
    }
    for (const { insert, skip, copy } of operations) {
      add(literals, from, insert)
      add(base, at + skip, copy)
      from += insert
      at += skip + copy
    }
    this.length = to
  }

  /** Like `Uint8Array.subarray`, for 0 ≤ start ≤ end; returns a copy. */
  subarray(start = 0, end = this.length): Uint8Array<ArrayBuffer> {
    const most = Math.min(end, this.length)
    const raw = Buffer.allocUnsafeSlow(Math.max(0, most - start))
    for (let at = start, index = this.#pieceAt(start); at < most; index++) {
      const { to, source, from, length } = this.#pieces[index]!
      const part = source.subarray(from + at - to, from + Math.min(length, most - to))
      raw.set(part, at - start)
      at += part.length
    }
    return raw
  }

  /** Index of the piece that has this byte. */
  #pieceAt(at: number): number {
    let [low, high] = [0, this.#pieces.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#pieces[middle]!.to <= at) low = middle
      else high = middle
    }
    return low
  }
}
