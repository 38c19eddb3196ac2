/**
 * Set of texts, stored as 63-bit hashes: 16 to 32 MiB for a million texts of any length. Two different texts collide with a probability
 * of 1 to 10^19 per pair: with ten million texts, in one of 180,000 files.
 */

/** Number of slots of a new set. */
const slotsMin = 1024

/** Memory bound of all sets of one table. */
export class HashBudget {
  #slotsLeft: number
  /** @param slots 8 bytes each; default 2^25, which is 256 MiB */
  constructor(slots = 2 ** 25) {
    this.#slotsLeft = slots
  }
  take(slots: number): boolean {
    if (slots > this.#slotsLeft) return false
    this.#slotsLeft -= slots
    return true
  }
  give(slots: number): void {
    this.#slotsLeft += slots
  }
}

export class HashSet {
  readonly #budget: HashBudget
  /** Two words per slot; two zeros mark an empty slot. */
  #words: Uint32Array
  #size = 0
  /** Slots taken from the budget. */
  #taken: number
  /** True if the budget was exhausted: further texts are not added. */
  isFull: boolean

  constructor(budget = new HashBudget()) {
    this.#budget = budget
    this.isFull = !budget.take(slotsMin)
    this.#taken = this.isFull ? 0 : slotsMin
    this.#words = new Uint32Array(Math.max(2, 2 * this.#taken))
  }

  get size(): number {
    return this.#size
  }

  /** @returns false if the text was already present, or the set is full */
  add(text: string): boolean {
    // At most half of the slots are used, so that searches are short.
    if (this.#size * 4 >= this.#words.length) this.#grow()
    if (this.isFull) return false
    const [low, high] = hashOf(text)
    const place = this.#placeOf(this.#words, low, high)
    if (this.#words[place] !== 0) return false
    this.#words[place] = low
    this.#words[place + 1] = high
    this.#size++
    return true
  }

  has(text: string): boolean {
    const [low, high] = hashOf(text)
    return this.#words[this.#placeOf(this.#words, low, high)] !== 0
  }

  /** Number of texts in both sets. */
  sharedWith(other: HashSet): number {
    let shared = 0
    for (let at = 0; at < this.#words.length; at += 2) {
      const [low, high] = [this.#words[at]!, this.#words[at + 1]!]
      if (low !== 0 && other.#words[other.#placeOf(other.#words, low, high)] !== 0) shared++
    }
    return shared
  }

  /** Empties the set and frees its memory. */
  clear(): void {
    this.#budget.give(this.#taken)
    this.#taken = 0
    this.#words = new Uint32Array(2)
    this.#size = 0
    this.isFull = true
  }

  #placeOf(words: Uint32Array, low: number, high: number): number {
    const mask = words.length - 1
    let place = (high * 2) & mask
    while (words[place] !== 0 && (words[place] !== low || words[place + 1] !== high))
      place = (place + 2) & mask
    return place
  }

  #grow(): void {
    const slots = this.#words.length / 2
    if (this.isFull || !this.#budget.take(slots)) {
      this.isFull = true
      return
    }
    this.#taken += slots
    const words = new Uint32Array(this.#words.length * 2)
    for (let from = 0; from < this.#words.length; from += 2) {
      const [low, high] = [this.#words[from]!, this.#words[from + 1]!]
      if (low === 0) continue
      const place = this.#placeOf(words, low, high)
      words[place] = low
      words[place + 1] = high
    }
    this.#words = words
  }
}

/**
 * Hashes to two words, the first odd so that it is never zero: cyrb53 by bryc, which is in the public domain, with all of its bits but one.
 */
function hashOf(text: string): readonly [low: number, high: number] {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 2654435761)
    high = Math.imul(high ^ unit, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return [(low | 1) >>> 0, high >>> 0]
}

/** A hash as an integer of 53 bits. */
export function hashNumber(text: string): number {
  const [low, high] = hashOf(text)
  return high * 2 ** 21 + (low >>> 11)
}
