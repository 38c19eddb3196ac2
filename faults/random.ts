/** Pseudo-random numbers, the same for the same seed, so that a run can be repeated. */
import { hash } from 'node:crypto'

export class Random {
  readonly #seed: string
  #state: number

  /** @param seed any text; different texts give unrelated numbers */
  constructor(seed: string) {
    this.#seed = seed
    this.#state = Number.parseInt(hash('sha256', seed).slice(0, 8), 16)
  }

  /** An independent source, unaffected by numbers already drawn from this one. */
  child(name: string): Random {
    return new Random(`${this.#seed} ${name}`)
  }

  /** A number in [0, 1). The generator is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** @throws RangeError for an empty list */
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('There is nothing to pick from.')
    return from[Math.floor(this.next() * from.length)]!
  }

  /** Picks an item in proportion to the weights. */
  weighted<T extends { readonly weight: number }>(from: readonly T[]): T {
    let left = this.next() * from.reduce((sum, { weight }) => sum + weight, 0)
    for (const one of from) {
      left -= one.weight
      if (left < 0) return one
    }
    return this.pick(from)
  }
}
