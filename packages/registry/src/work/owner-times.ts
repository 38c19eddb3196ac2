/** Time that owners recently used of a resource. It halves every minute, so that an owner is soon forgiven. */

const halfLifeMilliseconds = 60_000
/** Owners to remember. The least recently active are forgotten first. */
const rememberedMax = 10_000

interface UsedTime {
  readonly milliseconds: number
  readonly at: number
}

export class OwnerTimes {
  readonly #now: () => number
  /** In the order of their last use. */
  readonly #used = new Map<string, UsedTime>()

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds. */
  of(owner: string): number {
    const used = this.#used.get(owner)
    return used === undefined
      ? 0
      : used.milliseconds * 0.5 ** ((this.#now() - used.at) / halfLifeMilliseconds)
  }

  add(owner: string, milliseconds: number): void {
    const sum = this.of(owner) + milliseconds
    this.#used.delete(owner)
    this.#used.set(owner, { milliseconds: sum, at: this.#now() })
    if (this.#used.size <= rememberedMax) return
    const [oldest] = this.#used.keys()
    this.#used.delete(oldest!)
  }
}
