/** Old node that an unfinished one replaces, one at every level: the old node with most of its entries. */
import type { Hash } from '../../hash.ts'

/** Counts what old nodes give to the unfinished node of one level. */
export class Origin {
  /** The old node that is giving now. */
  #source: Hash | undefined
  /** Length of the unfinished node when `#source` began to give. */
  #since = 0
  /** The old node that gave most to the unfinished one, and how much. */
  #giver: Hash | undefined
  #most = 0
  /** The old node that gave last of all, and the giver of the node finished last. */
  #latest: Hash | undefined
  #replaced: Hash | undefined

  /** From here on, where the unfinished node holds `length` things, they come from `source`, or from no old node. */
  turn(length: number, source: Hash | undefined): void {
    this.#settle(length)
    this.#source = source
    if (source !== undefined) this.#latest = source
  }

  /** Completes the node of `length` things: returns the old node with most of them. The next node starts with the same source. */
  finish(length: number): Hash | undefined {
    this.#settle(length)
    this.#replaced = this.#giver
    this.#since = 0
    this.#giver = undefined
    this.#most = 0
    return this.#replaced
  }

  /** Whether the node finished last, if its hash is `hash`, is an old one and thus stored already. */
  knows(hash: Hash): boolean {
    return hash === this.#replaced || hash === this.#latest
  }

  #settle(length: number): void {
    const gave = length - this.#since
    if (this.#source !== undefined && gave > this.#most) {
      this.#giver = this.#source
      this.#most = gave
    }
    this.#since = length
  }
}
