/**
 * Memory for bodies of requests that are gathered whole before they are checked. One may have so many bytes, all of them together
 * what room there is, those of one account half of it. What finds no room is refused at once: nobody waits for whoever is slow.
 */
import { totalmem } from 'node:os'
import { giveWay } from '@ulmus/storage'
import { RegistryError } from './errors.ts'
import { joined, type Pieces } from './pieces.ts'
import type { Principal } from './principal.ts'

const mebibyte = 1024 ** 2
/** What comes is copied together in pieces of at least this size, but for the last: less than a millisecond each. Bytes. */
const pieceBytesMin = mebibyte / 4
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
    work: (pieces: Pieces) => Promise<T>,
  ): Promise<T> {
    const holder = who.kind === 'anonymous' ? '' : who.accountId
    const pieces: Pieces = []
    const chunks: Uint8Array[] = []
    let [length, joinedLength] = [0, 0]
    try {
      for await (const chunk of body) {
        if (length + chunk.length > bytesMax) throw tooLarge(bytesMax)
        this.#take(holder, chunk.length)
        length += chunk.length
        chunks.push(chunk)
        if (length - joinedLength < pieceBytesMin) continue
        pieces.push(joined(chunks))
        joinedLength = length
        await giveWay()
      }
      if (chunks.length > 0) pieces.push(joined(chunks))
      return await work(pieces)
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
