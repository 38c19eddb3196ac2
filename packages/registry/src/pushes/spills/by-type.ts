/** A merged stream of entries, handed out type by type. */
import { compareUtf8 } from '@ulmus/content'
import type { PushEntry } from './entry.ts'

export class EntriesByType {
  readonly #batches: AsyncGenerator<PushEntry[]>
  #pending: PushEntry[] | undefined

  /** @param batches As `mergeSpills` gives them: of one type each, ascending. */
  constructor(batches: AsyncGenerator<PushEntry[]>) {
    this.#batches = batches
  }

  /** The entries of a type. Types are asked for in ascending order; what lies before the one asked for is passed over. */
  async *of(type: string): AsyncGenerator<PushEntry[]> {
    for (;;) {
      if (this.#pending === undefined) {
        const next = await this.#batches.next()
        if (next.done) return
        this.#pending = next.value
      }
      const order = compareUtf8(this.#pending[0]!.type, type)
      if (order > 0) return
      const batch = this.#pending
      this.#pending = undefined
      if (order === 0) yield batch
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}
