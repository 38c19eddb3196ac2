/** Memory budgets shared by callers, and the budget for request bodies, which are read whole before they are checked. */
import { giveWay } from '@ulmus/storage'
import { RegistryError } from '../errors/errors.ts'
import { memoryBudgets } from '../memory.ts'
import type { Principal } from '../principal.ts'
import { joined, type Pieces } from '../work/buffers.ts'

const mebibyte = 1024 ** 2
/** Minimum size of copied pieces, except for the last: less than a millisecond each. Bytes. */
const pieceBytesMin = mebibyte / 4

/** Budget for the bodies of pushes and of metadata patches. */
export class BodyBudget {
  readonly #shared: SharedBudget

  /** @param bytes A larger body is accepted only while there is no other. */
  constructor(bytes = memoryBudgets.bodies) {
    this.#shared = new SharedBudget(bytes)
  }

  /**
   * Gathers a body and returns the result of `work` on it; the body counts until then.
   * @throws too_large once more than `bytesMax` bytes have arrived; busy if they do not fit in the budget; the rejection of
   * `work`
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

/** A holder of a share of the budget. */
export interface Holder {
  readonly name: string
  /** Largest fraction of the budget while no other caller uses any. */
  readonly share: number
}

/** An account's share of an otherwise idle budget. */
export const accountShare = 1 / 2

/**
 * Memory budget shared by many callers. Requests that do not fit are refused at once, so that no caller waits for a slow one. A
 * caller alone may use any amount.
 *
 * A caller may hold at most as much as it leaves free, or a fraction of that: dynamic thresholds, as switches share their buffers
 * among ports (Choudhury and Hahne 1998). One caller gets half the budget. Of n callers that all want more, each gets 1/(n+1).
 * Some is always free: after k callers at their maximum, at least 1/2^k of the budget is left, and the next may use half of that.
 */
export class SharedBudget {
  readonly #bytes: number
  /** Reserved bytes by holder; holders of none are absent. */
  readonly #reserved = new Map<string, number>()
  #reservedTotal = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /**
   * Takes bytes for one request that counts for several holders, such as an address and all anonymous callers.
   * @param own bytes that the request holds already
   * @throws busy if they do not fit
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
