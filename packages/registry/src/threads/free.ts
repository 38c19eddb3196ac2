/** Memory outside of V8's heap, given back or handed over before it is collected. */
import type { EncodedObject } from '@ulmus/storage'

/**
 * Gives memory back at once, and not when it is collected: V8 collects everything, whatever the heap holds, for every 8 to 64 MB outside
 * of it, which would be for every twenty to hundred leaves. Views of it are empty from then on. What is small and does not fill its
 * buffer may lie in one that others share. What has been given back already is passed over: a leaf and its body may lie in one buffer.
 */
export function free(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer.byteLength > Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transfer(0)
  else freeWhole(bytes)
}

/** The same of a piece that somebody else has made, if it fills its buffer: else others may have views of the rest. */
export function freeWhole({ byteLength, buffer }: Uint8Array): void {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer && !buffer.detached)
    buffer.transfer(0)
}

/**
 * The buffers of which stored leaves use every byte, so that nobody else can want them, and which are not Node's own pool: another thread
 * may take them over.
 */
export function wholeBuffers(leaves: readonly Leaf[]): ArrayBuffer[] {
  const used = new Map<ArrayBufferLike, Map<number, number>>()
  for (const { bytes } of leaves.flatMap(({ node, body }) => [...node.chain, ...(body?.chain ?? [])])) {
    const lengths = used.get(bytes.buffer) ?? new Map<number, number>()
    // What two leaves have in common may be there twice.
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
