/**
 * Byte format of a push's entries. Used in the frames of spills (sorted, compressed push data in the blob store until the commit, see
 * spill.ts) and in messages between threads:
 *
 *     flags u8 (1 put, 2 private, 4 needed, 8 refers to files) · type length u16 · id length u16 · canonical length u32
 *     · [hash 32 bytes] · type · id · canonical
 *
 * Only a put has hash and canonical. Numbers are little-endian. Do not change the format incompatibly: after an update, the server must
 * still read the spills of open pushes.
 */
import type { Hash } from '@ulmus/content'
import type { PushEntry } from './entries.ts'
import type { FrameBuffer } from './frame-buffer.ts'

/** Flags and the three lengths. */
const entryHeaderBytes = 9
const hashBytesLength = 32

const flagPut = 1
const flagPrivate = 2
const flagNeeded = 4
const flagRefers = 8

/** An entry to write to a spill: from a parsed line, with its canonical form as text, or from another spill. */
export interface SpillEntry {
  readonly type: string
  readonly id: string
  readonly put?: {
    readonly hash: Hash
    readonly canonical: string | Uint8Array
    readonly private: boolean
    readonly needed?: boolean
    readonly refers: boolean
  }
}

/** The bytes of a spill are corrupt. */
export class SpillDamagedError extends Error {
  override name = 'SpillDamagedError'
}

/** Packs any number of entries like a frame, without compression, for another thread to take over. */
export function packEntries(entries: readonly SpillEntry[]): Uint8Array<ArrayBuffer> {
  const frame = new Frame(entries.reduce((sum, entry) => sum + bufferFor(entry), 0))
  for (const entry of entries) frame.add(entry)
  return new Uint8Array(frame.bytes.buffer as ArrayBuffer, 0, frame.length)
}

/** Upper bound of an entry's size. Bytes. */
const bufferFor = ({ type, id, put }: SpillEntry): number =>
  entryHeaderBytes + hashBytesLength + 3 * (type.length + id.length) + utf8BytesMax(put?.canonical ?? '')

const utf8BytesMax = (canonical: string | Uint8Array): number =>
  typeof canonical === 'string' ? 3 * canonical.length : canonical.length

/** A frame's raw bytes while they are collected. */
export class Frame {
  #raw: Buffer
  length = 0

  /** @param bytes initial size */
  constructor(bytes: number) {
    this.#raw = Buffer.allocUnsafeSlow(bytes)
  }

  get bytes(): Buffer {
    return this.#raw.subarray(0, this.length)
  }

  clear(): void {
    this.length = 0
  }

  add(entry: SpillEntry): void {
    const { type, id, put } = entry
    const canonical = put?.canonical ?? ''
    this.#demandRoom(bufferFor(entry))
    const out = this.#raw
    const start = this.length
    let at = start + entryHeaderBytes
    if (put !== undefined) at += out.write(put.hash, at, 'hex')
    const typeLength = out.write(type, at)
    const idLength = out.write(id, at + typeLength)
    at += typeLength + idLength
    const canonicalLength = typeof canonical === 'string' ? out.write(canonical, at) : canonical.length
    if (typeof canonical !== 'string') out.set(canonical, at)
    out[start] = flagsOf(put)
    out.writeUInt16LE(typeLength, start + 1)
    out.writeUInt16LE(idLength, start + 3)
    out.writeUInt32LE(canonicalLength, start + 5)
    this.length = at + canonicalLength
  }

  #demandRoom(bytes: number): void {
    if (this.length + bytes <= this.#raw.length) return
    const wider = Buffer.allocUnsafe(this.length + bytes)
    this.#raw.copy(wider, 0, 0, this.length)
    this.#raw = wider
  }
}

const flagsOf = (put: SpillEntry['put']): number =>
  put === undefined
    ? 0
    : flagPut |
      (put.private ? flagPrivate : 0) |
      (put.needed ? flagNeeded : 0) |
      (put.refers ? flagRefers : 0)

/** Entries packed by `packEntries`, as views of its bytes. */
export const unpackEntries = (bytes: Uint8Array): PushEntry[] => Array.from(new FrameEntries(bytes))

/**
 * Entries of a frame's raw bytes, as views of them. Creates each entry on demand: many frames are read concurrently, and bytes
 * cost V8's garbage collector next to nothing. Iterate it once.
 */
export class FrameEntries implements Iterable<PushEntry> {
  /** Entries of the frame. */
  readonly length: number
  readonly #raw: Buffer
  readonly #buffer: FrameBuffer | undefined

  /**
   * @param buffer of the bytes: retained for each entry that puts a record, and released by the iterator after the last entry
   * @throws SpillDamagedError if the bytes do not end with a whole entry
   */
  constructor(bytes: Uint8Array, buffer?: FrameBuffer) {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let [length, at] = [0, 0]
    for (; at + entryHeaderBytes <= raw.length; length++) at += entryLength(raw, at)
    if (at !== raw.length) throw new SpillDamagedError('a spill holds a damaged frame')
    this.#raw = raw
    this.length = length
    this.#buffer = buffer
  }

  *[Symbol.iterator](): Generator<PushEntry, void, void> {
    const [raw, buffer] = [this.#raw, this.#buffer]
    // An entry usually has the type of the previous one: use the same string.
    let type = ''
    let typeBytes = raw.subarray(0, 0)
    for (let at = 0; at < raw.length; ) {
      const flags = raw[at]!
      const hashAt = at + entryHeaderBytes
      const typeAt = hashAt + ((flags & flagPut) === 0 ? 0 : hashBytesLength)
      const idAt = typeAt + raw.readUInt16LE(at + 1)
      const canonicalAt = idAt + raw.readUInt16LE(at + 3)
      at += entryLength(raw, at)
      if (typeBytes.compare(raw, typeAt, idAt) !== 0) {
        typeBytes = raw.subarray(typeAt, idAt)
        type = typeBytes.toString('utf8')
      }
      const id = raw.toString('utf8', idAt, canonicalAt)
      if ((flags & flagPut) === 0) yield { type, id }
      else {
        const hash = raw.toString('hex', hashAt, typeAt) as Hash
        const canonical = raw.subarray(canonicalAt, at)
        const [isPrivate, needed] = [(flags & flagPrivate) !== 0, (flags & flagNeeded) !== 0]
        const refers = (flags & flagRefers) !== 0
        buffer?.retain()
        yield { type, id, put: { hash, canonical, buffer, refers, private: isPrivate, needed } }
      }
    }
    buffer?.release()
  }
}

/** Length of the entry at `at`. Bytes. */
const entryLength = (raw: Buffer, at: number): number =>
  entryHeaderBytes +
  ((raw[at]! & flagPut) === 0 ? 0 : hashBytesLength) +
  raw.readUInt16LE(at + 1) +
  raw.readUInt16LE(at + 3) +
  raw.readUInt32LE(at + 5)
