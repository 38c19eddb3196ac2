/** Edits as they stream in: batches from outside, one at a time inside, without a promise for each. */
import { compareUtf8, type Hash } from '../../hash.ts'
import { TreeError } from '../tree-error.ts'

/**
 * One edit: `put` present = insert or replace, absent = drop (of an absent key: nothing). `size` in bytes. In a set `hash`
 * is ignored. `payload` is what the port keeps beside the entry: for record trees the canonical line.
 */
export interface Edit<P> {
  key: string
  put?: { hash: Hash; size: number; payload: P } | undefined
}

/** Batches of edits; over all batches keys ascend strictly by their UTF-8 bytes. Empty batches are fine. */
export type EditBatches<P> = AsyncIterable<Edit<P>[]> | Iterable<Edit<P>[]>

/** The stream of edits, checked as it goes by. Call `load` once before anything else. */
export class EditQueue<P> {
  /** The edit whose turn it is; undefined after the last. Valid after `load` resolved or `step` returned true. */
  current: Edit<P> | undefined
  readonly #batches: AsyncIterator<Edit<P>[]> | Iterator<Edit<P>[]>
  #batch: Edit<P>[] = []
  #index = 0
  #previous: string | undefined

  constructor(batches: EditBatches<P>) {
    this.#batches =
      Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]()
  }

  /** Goes on to the next edit of the batch; false when there is none, and `load` must be awaited. */
  step(): boolean {
    this.#index++
    if (this.#index >= this.#batch.length) return false
    this.#take()
    return true
  }

  /** Fetches the next batch that holds an edit. */
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

  /** Tells the source of the batches that no more are wanted. */
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
