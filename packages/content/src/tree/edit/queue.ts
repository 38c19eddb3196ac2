/**
 * Stream of edits for the editor: receives batches, checks their order, and returns single edits without a promise for each, because a push
 * may have millions.
 */
import { compareUtf8, type Hash } from '../../hash.ts'
import { TreeError } from '../tree-error.ts'

/**
 * One edit: with `put` an insertion or replacement, without it a drop (of an absent key: no effect). `size` in bytes. A set ignores `hash`.
 * `payload` is stored by the port beside the entry: for record trees the canonical line.
 */
export interface Edit<P> {
  key: string
  put?: { hash: Hash; size: number; payload: P } | undefined
}

/** Batches of edits; across all batches keys ascend strictly by their UTF-8 bytes. Batches may be empty. */
export type EditBatches<P> = AsyncIterable<Edit<P>[]> | Iterable<Edit<P>[]>

/** Stream of edits, checked as they are read. Call `load` once before anything else. */
export class EditQueue<P> {
  /** The current edit; undefined after the last. Valid after `load` resolved or `step` returned true. */
  current: Edit<P> | undefined
  readonly #batches: AsyncIterator<Edit<P>[]> | Iterator<Edit<P>[]>
  #batch: Edit<P>[] = []
  #index = 0
  #previous: string | undefined

  constructor(batches: EditBatches<P>) {
    this.#batches =
      Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]()
  }

  /** Moves to the next edit of the batch; returns false if there is none, and `load` must be awaited. */
  step(): boolean {
    this.#index++
    if (this.#index >= this.#batch.length) return false
    this.#take()
    return true
  }

  /** Fetches the next batch that contains an edit. */
  async load(): Promise<void> {
    this.current = undefined
    for (;;) {
      const next = await this.#batches.next()
      if (next.done === true) return
      if (next.value.length === 0) continue
      this.#batch = next.value
      this.#index = 0
      this.#take()
      return
    }
  }

  /** Tells the source that no more batches are needed. */
  async close(): Promise<void> {
    await this.#batches.return?.()
  }

  #take(): void {
    const edit = this.#batch[this.#index]!
    const { key, put } = edit
    if (this.#previous !== undefined && compareUtf8(this.#previous, key) >= 0) {
      const keys = `${JSON.stringify(key)} comes after ${JSON.stringify(this.#previous)}`
      throw new TreeError('edits_unsorted', `Edits must ascend strictly by key, but ${keys}.`)
    }
    if (!key.isWellFormed()) {
      throw new TreeError('entry_malformed', `The key ${JSON.stringify(key)} holds a lone surrogate.`)
    }
    if (put !== undefined && !(Number.isSafeInteger(put.size) && put.size >= 0)) {
      throw new TreeError('entry_malformed', `The size of ${JSON.stringify(key)} is no safe integer ≥ 0.`)
    }
    this.#previous = key
    this.current = edit
  }
}
