/**
 * Memory for bodies of requests that are gathered whole before they are checked. One may have so many bytes, all of them together
 * what room there is, those of one account half of it. What finds no room is refused at once: nobody waits for whoever is slow.
 */
import { totalmem } from 'node:os'
import { RegistryError } from './errors.ts'
import type { Principal } from './principal.ts'

/** Bytes in a buffer of their own, so that a worker can take them over. */
export type Gathered = Uint8Array<ArrayBuffer>

const mebibyte = 1024 ** 2
/** A quarter of the machine's memory, within bounds: two of the largest bodies always have room. Bytes. */
const usualBytes = Math.min(Math.max(512 * mebibyte, totalmem() / 4), 2_048 * mebibyte)

export class BodyRoom {
  readonly #bytes: number
  /** By account, or nobody; only those that hold something. Bytes. */
  readonly #held = new Map<string, number>()
  #heldTogether = 0

  constructor(bytes = usualBytes) {
    this.#bytes = bytes
  }

  /**
   * Gathers a body and answers what `work` makes of it; the body has its room until then.
   * @throws too_large as soon as more than `bytesMax` bytes have come; busy when there is no room for them; what `work` rejects with.
   */
  async gather<T>(
    who: Principal,
    body: AsyncIterable<Uint8Array>,
    bytesMax: number,
    work: (bytes: Gathered) => Promise<T>,
  ): Promise<T> {
    const holder = who.kind === 'anonymous' ? '' : who.accountId
    const chunks: Uint8Array[] = []
    let length = 0
    try {
      for await (const chunk of body) {
        if (length + chunk.length > bytesMax) throw tooLarge(bytesMax)
        this.#take(holder, chunk.length)
        length += chunk.length
        chunks.push(chunk)
      }
      return await work(joined(chunks, length))
    } finally {
      this.#give(holder, length)
    }
  }

  #take(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) + bytes
    if (held > this.#bytes / 2 || this.#heldTogether + bytes > this.#bytes) throw new RegistryError('busy')
    this.#held.set(holder, held)
    this.#heldTogether += bytes
  }

  #give(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#heldTogether -= bytes
  }
}

const tooLarge = (bytesMax: number): RegistryError =>
  new RegistryError('too_large', {
    say: { limit: `${bytesMax} bytes (${Math.floor(bytesMax / mebibyte)} MiB)` },
  })

/** Empties `chunks`, so that the whole is all that is left of them. */
function joined(chunks: Uint8Array[], length: number): Gathered {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  chunks.length = 0
  return whole
}
