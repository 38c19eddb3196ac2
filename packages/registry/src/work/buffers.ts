/** Buffers outside of V8's heap, freed or transferred before garbage collection. */
import type { EncodedObject } from '@ulmus/storage'
import type { RawParts } from '@ulmus/storage/decoding'

/**
 * Frees memory at once instead of waiting for garbage collection: V8 runs a full collection for every 8 to 64 MB outside of the
 * heap, that is, for every twenty to hundred leaves. Views of a freed buffer are empty. Skips small views that do not fill their
 * buffer, which others may share, and buffers freed already: a leaf and its body may share one.
 */
export function free(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer.byteLength > Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transfer(0)
  else freeWhole(bytes)
}

/** Frees decoded objects that are whole: others are made of these. */
export function freeParts(raws: readonly RawParts[]): void {
  for (const raw of raws) if (raw instanceof Uint8Array) free(raw)
}

/** Like `free`, for memory allocated elsewhere, and only if it fills its buffer: otherwise the rest may be in use. */
export function freeWhole({ byteLength, buffer }: Uint8Array): void {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer && !buffer.detached)
    buffer.transfer(0)
}

/**
 * Buffers that stored leaves use entirely, so that no one else does, and that are not Node's own pool: they can be transferred to
 * another thread.
 */
export function wholeBuffers(leaves: readonly Leaf[]): ArrayBuffer[] {
  const used = new Map<ArrayBufferLike, Map<number, number>>()
  for (const { bytes } of leaves.flatMap(({ node, body }) => [...node.chain, ...(body?.chain ?? [])])) {
    const lengths = used.get(bytes.buffer) ?? new Map<number, number>()
    // Bytes shared by two leaves may occur twice.
    used.set(bytes.buffer, lengths.set(bytes.byteOffset, bytes.byteLength))
  }
  const isWhole = (buffer: ArrayBufferLike, lengths: ReadonlyMap<number, number>) =>
    buffer.byteLength > Buffer.poolSize && buffer.byteLength === [...lengths.values()].reduce((a, b) => a + b)
  return [...used].filter((one) => isWhole(...one)).map(([buffer]) => buffer as ArrayBuffer)
}

/** A leaf as stored. */
interface Leaf {
  node: EncodedObject
  body?: EncodedObject
}

/** Pieces in buffers of their own, which can be transferred to a worker thread. */
export type Pieces = Uint8Array<ArrayBuffer>[]

/** A task whose bytes are in pieces. */
export type InPieces<Task> = Omit<Task, 'bytes'> & { bytes: Pieces }

/** Joins pieces into one array. Frees them and empties the list. */
export function joined(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const piece of pieces) length += piece.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    freeWhole(piece)
  }
  pieces.length = 0
  return whole
}

export const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, piece) => sum + piece.length, 0)

export const buffersOf = ({ bytes }: { bytes: Pieces }): ArrayBuffer[] => bytes.map(({ buffer }) => buffer)
