/** Memory outside of V8's heap, given back before it is collected. */

/**
 * Gives memory back at once, and not when it is collected: V8 collects everything, whatever the heap holds, for every 64 MB outside of
 * it, which would be for every hundred leaves. Views of it are empty from then on. What is smaller may lie in a buffer that others share.
 */
export function free({ buffer }: Pick<Uint8Array, 'buffer'>): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}
