/** A request's body, gathered up to a limit. */
import { RegistryError } from './errors.ts'

/** Bytes in a buffer of their own, so that a worker can take them over. */
export type Collected = Uint8Array<ArrayBuffer>

/** @throws too_large as soon as more than `bytesMax` bytes have come. */
export async function collect(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Collected> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > bytesMax) {
      throw new RegistryError('too_large', {
        say: { limit: `${bytesMax} bytes (${Math.floor(bytesMax / 1024 ** 2)} MiB)` },
      })
    }
    chunks.push(chunk)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
