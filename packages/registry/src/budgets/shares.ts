/**
 * Memory budget shared by many callers. Requests that do not fit are refused at once, so that no caller waits for a slow one. A
 * caller alone may use any amount.
 *
 * Each may hold as much as it leaves free, or a part of that: dynamic thresholds, as switches share their buffers among ports (Choudhury
 * and Hahne 1998). A caller alone has half, each of n that want more than their share 1/(n+1), and some is always free: k callers
 * with all that they can get leave at least 1/2^k of the budget, of which the next may use half.
 */
import { RegistryError } from '../errors/errors.ts'

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
