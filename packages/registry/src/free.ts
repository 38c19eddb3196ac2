/** Memory outside of V8's heap, given back or handed over before it is collected. */
import type { EncodedObject } from '@ulmus/storage'

/**
 * Gives memory back at once, and not when it is collected: V8 collects everything, whatever the heap holds, for every 64 MB outside of
 * it, which would be for every hundred leaves. Views of it are empty from then on. What is smaller may lie in a buffer that others share.
 */
export function free({ buffer }: Pick<Uint8Array, 'buffer'>): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

/**
 * The buffers of which stored leaves use every byte, so that nobody else can want them, and which are not Node's own pool: another thread
 * may take them over.
 */
export function wholeBuffers(leaves: readonly { node: EncodedObject; body: EncodedObject }[]): ArrayBuffer[] {
  const used = new Map<ArrayBufferLike, number>()
  for (const { bytes } of leaves.flatMap(({ node, body }) => [...node.chain, ...body.chain]))
    used.set(bytes.buffer, (used.get(bytes.buffer) ?? 0) + bytes.byteLength)
  const whole = [...used].filter(([{ byteLength }, bytes]) => bytes === byteLength)
  return whole.map(([buffer]) => buffer as ArrayBuffer).filter((one) => one.byteLength > Buffer.poolSize)
}
