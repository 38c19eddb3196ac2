/** Pace of background work of low priority: it rests for a multiple of the time that it worked, which grows if others use the processor. */
import { setTimeout } from 'node:timers/promises'

export interface Rest {
  /** Rests so many times as long as it worked. */
  readonly times: number
  /** And at least so long after a piece of work. Milliseconds. */
  readonly least: number
}

export class Pace {
  readonly #rest: Rest
  readonly #stop: AbortSignal
  readonly #renew: () => Promise<void>
  readonly #renewMilliseconds: number
  #since = performance.now()
  #renewed = performance.now()

  /** @param renew called about every `everySeconds`; ends the work if it rejects */
  constructor(rest: Rest, stop: AbortSignal, renew: () => Promise<void>, everySeconds: number) {
    this.#rest = rest
    this.#stop = stop
    this.#renew = renew
    this.#renewMilliseconds = everySeconds * 1_000
  }

  /** Rests between two steps. @throws the reason of `stop`, and what `renew` throws */
  async between(): Promise<void> {
    await this.#sleep(0)
    if (performance.now() - this.#renewed < this.#renewMilliseconds) return
    await this.#renew()
    this.#renewed = performance.now()
  }

  /** Rests after the last step. */
  end(): Promise<void> {
    return this.#sleep(this.#rest.least)
  }

  async #sleep(least: number): Promise<void> {
    this.#stop.throwIfAborted()
    const worked = performance.now() - this.#since
    const most = this.#renewMilliseconds
    const milliseconds = Math.max(least, Math.min(most, worked * this.#rest.times))
    await setTimeout(milliseconds, undefined, { signal: this.#stop }).catch(() => this.#stop.throwIfAborted())
    this.#since = performance.now()
  }
}
