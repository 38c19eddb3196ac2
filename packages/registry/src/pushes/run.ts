/**
 * Runs: what a push received, checked, sorted and compressed, as it waits in the blob store for the commit.
 *
 * A run is a sequence of frames: encoded length u32, raw length u32, then zstd of the raw bytes. A frame holds whole entries:
 *
 *     flags u8 (1 put, 2 private, 4 needed) · type length u16 · id length u16 · canonical length u32 · [hash 32 bytes] · type · id · canonical
 *
 * with hash and canonical only for a put. Numbers are little-endian. Entries of a run ascend strictly by (type, id).
 */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { Hash } from '@ulmus/content'
import type { PushEntry } from './entry.ts'

/** A frame is closed when it holds this much. Bytes, raw. */
const frameBytes = 256 * 1024
/** What a frame may hold at most: nearly a frame, and one record of 8 MiB with its names. Bytes, raw. */
const frameBytesMax = frameBytes + 8 * 1024 ** 2 + 4096
const frameHeaderBytes = 8
const entryHeaderBytes = 9
const hashBytesLength = 32

const flagPut = 1
const flagPrivate = 2
const flagNeeded = 4

const inflate = promisify(zstdDecompress)
const deflate = promisify(zstdCompress)

/** Synchronous: runs in a worker thread. */
export function encodeRun(entries: readonly PushEntry[]): Uint8Array<ArrayBuffer> {
  const frames: Buffer[] = []
  let pending: Buffer[] = []
  let pendingBytes = 0
  for (const entry of entries) {
    const encoded = encodeEntry(entry)
    pending.push(encoded)
    pendingBytes += encoded.length
    if (pendingBytes < frameBytes) continue
    frames.push(...encodeFrame(Buffer.concat(pending, pendingBytes)))
    pending = []
    pendingBytes = 0
  }
  if (pendingBytes > 0) frames.push(...encodeFrame(Buffer.concat(pending, pendingBytes)))
  return new Uint8Array(Buffer.concat(frames))
}

/** The same from a stream of sorted entries, compressing off the thread. */
export async function encodeFrames(batches: AsyncIterable<readonly PushEntry[]>): Promise<Uint8Array> {
  const frames: Buffer[] = []
  for await (const batch of batches) {
    const raw = Buffer.concat(batch.map(encodeEntry))
    if (raw.length > 0) frames.push(...framed(raw, await deflate(raw, frameOptions)))
  }
  return Buffer.concat(frames)
}

function encodeEntry(entry: PushEntry): Buffer {
  const { put } = entry
  const typeLength = Buffer.byteLength(entry.type)
  const idLength = Buffer.byteLength(entry.id)
  const canonicalLength = put?.canonical.length ?? 0
  const hashLength = put === undefined ? 0 : hashBytesLength
  const out = Buffer.allocUnsafe(entryHeaderBytes + hashLength + typeLength + idLength + canonicalLength)
  out[0] = put === undefined ? 0 : flagPut | (put.private ? flagPrivate : 0) | (put.needed ? flagNeeded : 0)
  out.writeUInt16LE(typeLength, 1)
  out.writeUInt16LE(idLength, 3)
  out.writeUInt32LE(canonicalLength, 5)
  let at = entryHeaderBytes
  if (put !== undefined) at += out.write(put.hash, at, 'hex')
  at += out.write(entry.type, at)
  at += out.write(entry.id, at)
  if (put !== undefined) out.set(put.canonical, at)
  return out
}

/** The forms are compressed for a short stay: the fastest level. */
const frameOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

const encodeFrame = (raw: Buffer): [Buffer, Buffer] => framed(raw, zstdCompressSync(raw, frameOptions))

function framed(raw: Buffer, encoded: Buffer): [Buffer, Buffer] {
  const header = Buffer.allocUnsafe(frameHeaderBytes)
  header.writeUInt32LE(encoded.length, 0)
  header.writeUInt32LE(raw.length, 4)
  return [header, encoded]
}

/** The entries of a run, a frame at a time, in order. Rejects when the run is cut off or damaged. */
export async function* readRun(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<PushEntry[]> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    held =
      held.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([held, chunk])
    for (;;) {
      if (held.length < frameHeaderBytes) break
      const end = frameHeaderBytes + held.readUInt32LE(0)
      if (held.length < end) break
      const rawLength = held.readUInt32LE(4)
      const raw = await inflate(held.subarray(frameHeaderBytes, end), { maxOutputLength: frameBytesMax })
      if (raw.length !== rawLength) throw new Error('a run holds a damaged frame')
      yield decodeFrame(raw)
      held = held.subarray(end)
    }
  }
  if (held.length > 0) throw new Error('a run is cut off')
}

function decodeFrame(raw: Buffer): PushEntry[] {
  const entries: PushEntry[] = []
  let at = 0
  const take = (length: number): number => {
    at += length
    return at
  }
  while (at < raw.length) {
    const flags = raw[at]!
    const typeLength = raw.readUInt16LE(at + 1)
    const idLength = raw.readUInt16LE(at + 3)
    const canonicalLength = raw.readUInt32LE(at + 5)
    at += entryHeaderBytes
    const isPut = (flags & flagPut) !== 0
    const hash = isPut ? (raw.toString('hex', at, take(hashBytesLength)) as Hash) : undefined
    const type = raw.toString('utf8', at, take(typeLength))
    const id = raw.toString('utf8', at, take(idLength))
    const canonical = raw.subarray(at, take(canonicalLength))
    if (hash === undefined) entries.push({ type, id })
    else {
      const said = { private: (flags & flagPrivate) !== 0, needed: (flags & flagNeeded) !== 0 }
      entries.push({ type, id, put: { hash, canonical, ...said } })
    }
  }
  if (at !== raw.length) throw new Error('a run holds a damaged frame')
  return entries
}
