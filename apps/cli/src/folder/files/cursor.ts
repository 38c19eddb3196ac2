/** Cursor over a stream of batches, for merging two streams. */
export class Cursor<T> {
  readonly #batches: Iterator<T[]>
  #batch: T[] = []
  #index = 0
  /** Undefined after the last item. */
  current: T | undefined

  constructor(batches: Iterable<T[]>) {
    this.#batches = batches[Symbol.iterator]()
    this.#load()
  }

  next(): void {
    if (++this.#index < this.#batch.length) this.current = this.#batch[this.#index]
    else this.#load()
  }

  #load(): void {
    for (;;) {
      const { done, value } = this.#batches.next()
      if (done === true) {
        this.current = undefined
        return
      }
      if (value.length === 0) continue
      this.#batch = value
      this.#index = 0
      this.current = value[0]
      return
    }
  }

  /** Closes the stream's resources. */
  close(): void {
    this.#batches.return?.()
  }
}
