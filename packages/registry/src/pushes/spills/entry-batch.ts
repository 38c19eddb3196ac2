/** Entries gathered until they are enough to be handed on. */
import type { PushEntry } from './entry.ts'

/** Entries of a batch at most, and what their canonical forms come to, unless the last one alone is larger. */
const batchEntries = 128
const batchBytes = 4_194_304

export class EntryBatch {
  #entries: PushEntry[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** True: it takes no more before it is taken. */
  get isFull(): boolean {
    return this.#entries.length >= batchEntries || this.#bytes >= batchBytes
  }

  add(entry: PushEntry): void {
    this.#entries.push(entry)
    this.#bytes += entry.put?.canonical.length ?? 0
  }

  /** What it holds; it is empty afterwards. */
  take(): PushEntry[] {
    const entries = this.#entries
    this.#entries = []
    this.#bytes = 0
    return entries
  }
}
