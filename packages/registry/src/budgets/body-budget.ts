/** Memory budgets shared by callers, and the one for request bodies, which are read whole before they are checked. */
import { giveWay } from '@ulmus/storage'
import { RegistryError } from '../errors/errors.ts'
import { memoryBudgets } from '../memory.ts'
import type { Principal } from '../principal.ts'
import { joined, type Pieces } from '../work/buffers.ts'

const mebibyte = 1024 ** 2
/** Minimum size of copied pieces, except for the last: less than a millisecond each. Bytes. */
const pieceBytesMin = mebibyte / 4

export class BodyBudget {
  readonly #shared: SharedBudget

  /** @param bytes A body that is larger is gathered while there is no other. */
  constructor(bytes = memoryBudgets.bodies) {
    this.#shared = new SharedBudget(bytes)
  }

  /**
   * Gathers a body and answers what `work` makes of it; the body counts until then.
   * @throws too_large as soon as more than `bytesMax` bytes have come; busy when they do not fit in the budget; what `work` rejects with.
   */
  async gather<T>(
    who: Principal,
    body: AsyncIterable<Uint8Array>,
    bytesMax: number,
    work: (pieces: Pieces) => Promise<T>,
  ): Promise<T> {
    const holders = [{ name: who.kind === 'anonymous' ? '' : who.accountId, share: accountShare }]
    const pieces: Pieces = []
    const chunks: Uint8Array[] = []
    let [length, joinedLength] = [0, 0]
    try {
      for await (const chunk of body) {
        if (length + chunk.length > bytesMax) throw tooLarge(bytesMax)
        this.#shared.take(holders, chunk.length, length)
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
      this.#shared.give(holders, length)
    }
  }
}

const tooLarge = (bytesMax: number): RegistryError =>
  new RegistryError('too_large', {
    say: { limit: `${bytesMax} bytes (${Math.floor(bytesMax / mebibyte)} MiB)` },
    details: { limitBytes: bytesMax },
  })

/**
 * Memory budget shared by many callers. Requests that do not fit are refused at once, so that no caller waits for a slow one. A
 * caller alone may use any amount.
 *
 * Each may hold as much as it leaves free, or a part of that: dynamic thresholds, as switches share their buffers among ports (Choudhury
 * and Hahne 1998). A caller alone has half, each of n that want more than their share 1/(n+1), and some is always free: k callers
 * with all that they can get leave at least 1/2^k of the budget, of which the next may use half.
 */

/** A holder of a share of the budget. */
export interface Holder {
  readonly name: string
  /** Largest fraction of the budget while no other caller uses any. */
  readonly share: number
}

/** An account's share of an otherwise idle budget. */
export const accountShare = 1 / 2

export class SharedBudget {
  readonly #bytes: number
  /** By name; only those that hold something. Bytes. */
  readonly #reserved = new Map<string, number>()
  #reservedTotal = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /**
   * Takes a part for one thing that several may answer for, such as an address and all who are not known.
   * @param own What the thing has already. Bytes.
   * @throws busy when it does not fit.
   */
  take(holders: readonly Holder[], bytes: number, own: number): void {
    if (this.#reservedTotal > own) {
      const free = this.#bytes - this.#reservedTotal - bytes
      if (free < 0) throw new RegistryError('busy')
      for (const { name, share } of holders)
        if ((this.#reserved.get(name) ?? 0) + bytes > (free * share) / (1 - share))
          throw new RegistryError('busy')
    }
    for (const { name } of holders) this.#reserved.set(name, (this.#reserved.get(name) ?? 0) + bytes)
    this.#reservedTotal += bytes
  }

  give(holders: readonly Holder[], bytes: number): void {
    for (const { name } of holders) {
      const left = (this.#reserved.get(name) ?? 0) - bytes
      if (left > 0) this.#reserved.set(name, left)
      else this.#reserved.delete(name)
    }
    this.#reservedTotal -= bytes
  }
}
