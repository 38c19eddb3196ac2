/**
 * Format of spills: received data of a push, checked, sorted and compressed, in the blob store until the commit.
 *
 * A spill is a sequence of frames: encoded length u32, raw length u32, CRC-32 of the encoded bytes u32, then zstd of the raw
 * bytes, which are whole entries (`frame.ts`). Numbers are little-endian. Entries of a spill ascend strictly by (type, id).
 */
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { free, freeWhole } from '../../work/buffers.ts'
import { Frame, FrameEntries, SpillDamagedError, type SpillEntry } from './frame.ts'
import { FrameBuffer } from './frame-buffer.ts'

/** A frame is closed at this size. Bytes, raw. */
const frameBytes = 128 * 1024
/** Largest frame: a nearly full one, and one record of 8 MiB with its names. Bytes, raw. */
const frameBytesMax = frameBytes + 8 * 1024 ** 2 + 4096
/** Largest encoded frame: zstd lengthens incompressible input by a 256th, and by less than this if it is short. Bytes. */
const encodedBytesMax = frameBytesMax + Math.ceil(frameBytesMax / 256) + 1024
const frameHeaderBytes = 12

const deflate = promisify(zstdCompress)

/** Synchronous: call it in a worker thread. */
export function encodeSpill(entries: readonly SpillEntry[]): Uint8Array<ArrayBuffer> {
  const frames: Buffer[] = []
  const frame = new Frame(2 * frameBytes)
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

/** Encodes a stream of sorted entries, frame by frame; compresses in a thread of Node's pool. */
export async function* encodeSpillStream(
  batches: AsyncIterable<readonly SpillEntry[]>,
): AsyncGenerator<Uint8Array> {
  const frame = new Frame(2 * frameBytes)
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

/** Spills are short-lived: use the fastest level. */
const frameOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

function framed(raw: Buffer, encoded: Buffer): [Buffer, Buffer] {
  const header = Buffer.allocUnsafe(frameHeaderBytes)
  header.writeUInt32LE(encoded.length, 0)
  header.writeUInt32LE(raw.length, 4)
  header.writeUInt32LE(crc32(encoded), 8)
  return [header, encoded]
}

/**
 * Entries of a spill in order, a frame at a time, as views of its memory, which is freed when all users of put entries have
 * released it. Takes `source` over: a piece that fills its buffer is empty after reading.
 * @throws SpillDamagedError, also if the spill ends within a frame.
 */
export async function* readSpill(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<FrameEntries> {
  for await (const frame of framesOf(source)) {
    const raw = inflated(frame)
    yield new FrameEntries(raw, new FrameBuffer(raw))
  }
}

/** Whole frames, headers included; consume each before requesting the next. */
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
  if (begun.length > 0) throw new SpillDamagedError('a spill is cut off')
}

/**
 * Size of the frame that begins here; the header's size until the header is complete. Bytes.
 * @throws SpillDamagedError if it is too large.
 */
function frameSize(bytes: Buffer): number {
  if (bytes.length < frameHeaderBytes) return frameHeaderBytes
  const encodedLength = bytes.readUInt32LE(0)
  if (encodedLength > encodedBytesMax) throw new SpillDamagedError('a spill holds a damaged frame')
  return frameHeaderBytes + encodedLength
}

/** A copy of a frame that spans several pieces. */
class BegunFrame {
  #buffer = Buffer.alloc(frameHeaderBytes)
  length = 0

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  get isWhole(): boolean {
    return this.length >= frameHeaderBytes && this.length === frameSize(this.#buffer)
  }

  /** Copies missing bytes, as far as the size is known yet. @returns the number of bytes */
  add(bytes: Buffer): number {
    const size = frameSize(this.bytes)
    if (size > this.#buffer.length) {
      const wider = Buffer.allocUnsafeSlow(size)
      this.#buffer.copy(wider, 0, 0, this.length)
      this.#buffer = wider
    }
    const taken = bytes.copy(this.#buffer, this.length, 0, size - this.length)
    this.length += taken
    return taken
  }
}

/** Decompresses on this thread: 0.1 ms a frame, no more than a handover to another thread and back. */
function inflated(frame: Buffer): Buffer {
  const rawLength = frame.readUInt32LE(4)
  const encoded = frame.subarray(frameHeaderBytes)
  // Zstd decodes much damaged data without an error, and the hashes of entries are not verified again.
  if (rawLength > frameBytesMax || crc32(encoded) !== frame.readUInt32LE(8))
    throw new SpillDamagedError('a spill holds a damaged frame')
  const limits = { maxOutputLength: Math.max(1, rawLength), chunkSize: Math.max(1024, rawLength + 1) }
  let raw: Buffer
  try {
    raw = zstdDecompressSync(encoded, limits)
  } catch (cause) {
    throw new SpillDamagedError('a spill holds a damaged frame', { cause })
  }
  if (raw.length !== rawLength) throw new SpillDamagedError('a spill holds a damaged frame')
  return raw
}
