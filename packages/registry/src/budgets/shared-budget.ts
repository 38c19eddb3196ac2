/** Memory budget that callers share. */
import { RegistryError } from '../errors/errors.ts'

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
