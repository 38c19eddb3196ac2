/**
 * Runs: what a push received, checked, sorted and compressed, as it waits in the blob store for the commit.
 *
 * A run is a sequence of frames: encoded length u32, raw length u32, CRC-32 of the encoded bytes u32, then zstd of the raw bytes. A
 * frame holds whole entries:
 *
 *     flags u8 (1 put, 2 private, 4 needed, 8 refers to files) · type length u16 · id length u16 · canonical length u32 · [hash 32 bytes] · type · id · canonical
 *
 * with hash and canonical only for a put. Numbers are little-endian. Entries of a run ascend strictly by (type, id).
 */
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Hash } from '@ulmus/content'
import { free, freeWhole } from '../free.ts'
import type { PushEntry } from './entry.ts'
import { FrameRoom } from './frame-room.ts'

/** A frame is closed when it holds this much. Bytes, raw. */
const frameBytes = 128 * 1024
/** What a frame may hold at most: nearly a frame, and one record of 8 MiB with its names. Bytes, raw. */
const frameBytesMax = frameBytes + 8 * 1024 ** 2 + 4096
/** What a frame takes encoded: zstd makes what it cannot compress longer by a 256th, and by less than this of what is short. Bytes. */
const encodedBytesMax = frameBytesMax + Math.ceil(frameBytesMax / 256) + 1024
const frameHeaderBytes = 12
const entryHeaderBytes = 9
const hashBytesLength = 32

const flagPut = 1
const flagPrivate = 2
const flagNeeded = 4
const flagRefers = 8

const deflate = promisify(zstdCompress)

/** An entry on its way into a run: fresh from its line, its canonical form still text, or from another run. */
export interface RunEntry {
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

/** Synchronous: runs in a worker thread. */
export function encodeRun(entries: readonly RunEntry[]): Uint8Array<ArrayBuffer> {
  const frames: Buffer[] = []
  const frame = new Frame()
  const close = () => frames.push(...framed(frame.bytes, zstdCompressSync(frame.bytes, frameOptions)))
  for (const entry of entries) {
    frame.add(entry)
    if (frame.length < frameBytes) continue
    close()
    frame.clear()
  }
  if (frame.length > 0) close()
  return new Uint8Array(Buffer.concat(frames))
}

/** The same of a stream of sorted entries, frame by frame; compresses off the thread. */
export async function* encodeRunStream(
  batches: AsyncIterable<readonly RunEntry[]>,
): AsyncGenerator<Uint8Array> {
  const frame = new Frame()
  for await (const batch of batches) {
    for (const entry of batch) {
      frame.add(entry)
      if (frame.length < frameBytes) continue
      yield* framed(frame.bytes, await deflate(frame.bytes, frameOptions))
      frame.clear()
    }
  }
  if (frame.length > 0) yield* framed(frame.bytes, await deflate(frame.bytes, frameOptions))
}

/** Entries as a frame has them, but not compressed, however many: for another thread, which takes the memory over. */
export function packEntries(entries: readonly RunEntry[]): Uint8Array<ArrayBuffer> {
  const frame = new Frame(entries.reduce((sum, entry) => sum + roomFor(entry), 0))
  for (const entry of entries) frame.add(entry)
  return new Uint8Array(frame.bytes.buffer as ArrayBuffer, 0, frame.length)
}

/** What an entry takes at most. Bytes. */
const roomFor = ({ type, id, put }: RunEntry): number =>
  entryHeaderBytes + hashBytesLength + 3 * (type.length + id.length) + utf8BytesMax(put?.canonical ?? '')

const utf8BytesMax = (canonical: string | Uint8Array): number =>
  typeof canonical === 'string' ? 3 * canonical.length : canonical.length

/** The raw bytes of a frame as they gather. */
class Frame {
  #raw: Buffer
  length = 0

  constructor(bytes = frameBytes * 2) {
    this.#raw = Buffer.allocUnsafeSlow(bytes)
  }

  get bytes(): Buffer {
    return this.#raw.subarray(0, this.length)
  }

  clear(): void {
    this.length = 0
  }

  add(entry: RunEntry): void {
    const { type, id, put } = entry
    const canonical = put?.canonical ?? ''
    this.#demandRoom(roomFor(entry))
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

const flagsOf = (put: RunEntry['put']): number =>
  put === undefined
    ? 0
    : flagPut |
      (put.private ? flagPrivate : 0) |
      (put.needed ? flagNeeded : 0) |
      (put.refers ? flagRefers : 0)

/** The forms are compressed for a short stay: the fastest level. */
const frameOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

function framed(raw: Buffer, encoded: Buffer): [Buffer, Buffer] {
  const header = Buffer.allocUnsafe(frameHeaderBytes)
  header.writeUInt32LE(encoded.length, 0)
  header.writeUInt32LE(raw.length, 4)
  header.writeUInt32LE(crc32(encoded), 8)
  return [header, encoded]
}

/** The bytes are not what was written. */
export class RunDamaged extends Error {
  override name = 'RunDamaged'
}

/**
 * The entries of a run, a frame at a time, in order: views of its memory, which goes when all that put something have left it. Takes
 * `source` over: a piece that fills its buffer is empty once it is read.
 * @throws RunDamaged, also when it ends within a frame.
 */
export async function* readRun(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<FrameEntries> {
  for await (const frame of framesOf(source)) {
    const raw = inflated(frame)
    yield new FrameEntries(raw, new FrameRoom(raw))
  }
}

/** Whole frames, headers included; each is read before the next is asked for. */
async function* framesOf(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun = new BegunFrame()
  for await (const piece of source) {
    let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    while (bytes.length > 0) {
      if (begun.length === 0 && frameSize(bytes) <= bytes.length) {
        const frame = bytes.subarray(0, frameSize(bytes))
        yield frame
        bytes = bytes.subarray(frame.length)
      } else {
        bytes = bytes.subarray(begun.add(bytes))
        if (!begun.isWhole) continue
        yield begun.bytes
        free(begun.bytes)
        begun = new BegunFrame()
      }
    }
    freeWhole(piece)
  }
  if (begun.length > 0) throw new RunDamaged('a run is cut off')
}

/** What a frame that begins so takes, or its header while that is not all there. Bytes. @throws RunDamaged for more than any takes. */
function frameSize(bytes: Buffer): number {
  if (bytes.length < frameHeaderBytes) return frameHeaderBytes
  const encodedLength = bytes.readUInt32LE(0)
  if (encodedLength > encodedBytesMax) throw new RunDamaged('a run holds a damaged frame')
  return frameHeaderBytes + encodedLength
}

/** A frame that lies in more than one piece, as it gathers: a copy. */
class BegunFrame {
  #room = Buffer.alloc(frameHeaderBytes)
  length = 0

  get bytes(): Buffer {
    return this.#room.subarray(0, this.length)
  }

  get isWhole(): boolean {
    return this.length >= frameHeaderBytes && this.length === frameSize(this.#room)
  }

  /** Takes what it lacks, as far as that shows. @returns how many bytes */
  add(bytes: Buffer): number {
    const size = frameSize(this.bytes)
    if (size > this.#room.length) {
      const wider = Buffer.allocUnsafeSlow(size)
      this.#room.copy(wider, 0, 0, this.length)
      this.#room = wider
    }
    const taken = bytes.copy(this.#room, this.length, 0, size - this.length)
    this.length += taken
    return taken
  }
}

/** On this thread: a frame takes 0.1 ms, no more than handing it to another thread and back would. */
function inflated(frame: Buffer): Buffer {
  const rawLength = frame.readUInt32LE(4)
  const encoded = frame.subarray(frameHeaderBytes)
  // Zstd alone decodes much of what is damaged to other entries, and their hashes are not computed again.
  if (rawLength > frameBytesMax || crc32(encoded) !== frame.readUInt32LE(8))
    throw new RunDamaged('a run holds a damaged frame')
  const room = { maxOutputLength: Math.max(1, rawLength), chunkSize: Math.max(1024, rawLength + 1) }
  let raw: Buffer
  try {
    raw = zstdDecompressSync(encoded, room)
  } catch (cause) {
    throw new RunDamaged('a run holds a damaged frame', { cause })
  }
  if (raw.length !== rawLength) throw new RunDamaged('a run holds a damaged frame')
  return raw
}

/** The entries of what `packEntries` made; views of it. */
export const unpackEntries = (bytes: Uint8Array): PushEntry[] => Array.from(new FrameEntries(bytes))

/**
 * The entries of a frame's raw bytes, as views of them. Each is made when it is asked for: where many frames are read side by side, what
 * they hold is bytes, and next to nothing that V8 would have to keep alive. To be gone through once.
 */
export class FrameEntries implements Iterable<PushEntry> {
  /** Entries of the frame. */
  readonly length: number
  readonly #raw: Buffer
  readonly #room: FrameRoom | undefined

  /**
   * @param room of the bytes: entries that put something enter it, and whoever goes through leaves it at the end
   * @throws RunDamaged for what does not end with an entry
   */
  constructor(bytes: Uint8Array, room?: FrameRoom) {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let [length, at] = [0, 0]
    for (; at + entryHeaderBytes <= raw.length; length++) at += entryLength(raw, at)
    if (at !== raw.length) throw new RunDamaged('a run holds a damaged frame')
    this.#raw = raw
    this.length = length
    this.#room = room
  }

  *[Symbol.iterator](): Generator<PushEntry, void, void> {
    const [raw, room] = [this.#raw, this.#room]
    // Most often an entry has the type of the one before it: one string serves both.
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
        room?.enter()
        yield { type, id, put: { hash, canonical, room, refers, private: isPrivate, needed } }
      }
    }
    room?.leave()
  }
}

/** What the entry at `at` takes. Bytes. */
const entryLength = (raw: Buffer, at: number): number =>
  entryHeaderBytes +
  ((raw[at]! & flagPut) === 0 ? 0 : hashBytesLength) +
  raw.readUInt16LE(at + 1) +
  raw.readUInt16LE(at + 3) +
  raw.readUInt32LE(at + 5)
