/** Buffers outside of V8's heap, freed or transferred before garbage collection. */
import type { EncodedObject } from '@ulmus/storage'

/**
 * Frees memory at once instead of waiting for garbage collection: V8 runs a full one for every 8 to 64 MB outside of the heap, which
 * would be for every twenty to hundred leaves. Views of a freed buffer are empty. Skips small views that do not fill their buffer,
 * which others may share, and buffers freed already: a leaf and its body may share one.
 */
export function free(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer.byteLength > Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transfer(0)
  else freeWhole(bytes)
}

/** Like `free`, for memory allocated elsewhere, and only if it fills its buffer: otherwise the rest may be in use. */
export function freeWhole({ byteLength, buffer }: Uint8Array): void {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer && !buffer.detached)
    buffer.transfer(0)
}

/**
 * The buffers of which stored leaves use every byte, so that they have no other user, and which are not Node's own pool: another thread
 * may take them over.
 */
export function wholeBuffers(leaves: readonly Leaf[]): ArrayBuffer[] {
  const used = new Map<ArrayBufferLike, Map<number, number>>()
  for (const { bytes } of leaves.flatMap(({ node, body }) => [...node.chain, ...(body?.chain ?? [])])) {
    const lengths = used.get(bytes.buffer) ?? new Map<number, number>()
    // Bytes that two leaves share may occur twice.
    used.set(bytes.buffer, lengths.set(bytes.byteOffset, bytes.byteLength))
  }
  const isWhole = (buffer: ArrayBufferLike, lengths: ReadonlyMap<number, number>) =>
    buffer.byteLength > Buffer.poolSize && buffer.byteLength === [...lengths.values()].reduce((a, b) => a + b)
  return [...used].filter((one) => isWhole(...one)).map(([buffer]) => buffer as ArrayBuffer)
}

/** As it is stored. */
interface Leaf {
  node: EncodedObject
  body?: EncodedObject
}

/** Each in a buffer of its own, so that a worker can take it over. */
export type Pieces = Uint8Array<ArrayBuffer>[]

/** A task whose bytes lie in pieces. */
export type InPieces<Task> = Omit<Task, 'bytes'> & { bytes: Pieces }

/** Empties `pieces` and takes them over: the whole is all that is left of them. */
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
