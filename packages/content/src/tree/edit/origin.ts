/**
 * Finds the old node that a new one replaces: the old node with most of its entries. The store saves the new node as a delta to it; a wrong
 * guess costs only space.
 */
import type { Hash } from '../../hash.ts'

/** Counts the entries that old nodes contribute to the unfinished node of one level. */
export class Origin {
  /** The old node that contributes now. */
  #source: Hash | undefined
  /** Length of the unfinished node when `#source` began to contribute. */
  #since = 0
  /** The old node that contributed most to the unfinished one, and how much. */
  #giver: Hash | undefined
  #most = 0
  /** The latest contributor, and the main contributor to the node finished last. */
  #latest: Hash | undefined
  #replaced: Hash | undefined

  /** Sets the source of the items that follow the first `length` ones: an old node, or none. */
  turn(length: number, source: Hash | undefined): void {
    this.#settle(length)
    this.#source = source
    if (source !== undefined) this.#latest = source
  }

  /** Completes the node of `length` items: returns the old node with most of them. The next node starts with the same source. */
  finish(length: number): Hash | undefined {
    this.#settle(length)
    this.#replaced = this.#giver
    this.#since = 0
    this.#giver = undefined
    this.#most = 0
    return this.#replaced
  }

  /** True if the node finished last, if it has this hash, is an old one and thus stored already. */
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
