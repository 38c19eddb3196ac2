/**
 * Queue of concurrent tasks, such as reads or work in other threads: starts several ahead of their turn, within bounds of number and bytes,
 * and returns their results in the order of their start.
 */
export class Ahead<T> {
  /** Maximum number of concurrent tasks. May be changed at any time. */
  most: number
  readonly #bytesMost: number
  readonly #underWay: { work: Promise<T>; bytes: number }[] = []
  #bytes = 0

  /** @param bounds Maximum of concurrent tasks, and of the bytes that they work on together; a single task may exceed the latter. */
  constructor(bounds: { most: number; bytesMost: number }) {
    this.most = bounds.most
    this.#bytesMost = bounds.bytesMost
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  /** True if another task, on about this many bytes, is within bounds. */
  hasRoom(bytes: number): boolean {
    return this.isEmpty || (this.#underWay.length < this.most && this.#bytes + bytes <= this.#bytesMost)
  }

  /** Adds a task that has started. `take` rethrows its error; without a `take`, the error is dropped. */
  add(work: Promise<T>, bytes: number): void {
    work.catch(() => undefined)
    this.#underWay.push({ work, bytes })
    this.#bytes += bytes
  }

  /** Returns the result of the oldest task, or rejects with its error. Requires a pending task. */
  take(): Promise<T> {
    const { work, bytes } = this.#underWay.shift()!
    this.#bytes -= bytes
    return work
  }

  /** Waits for all remaining tasks. Returns the results of those that succeeded. */
  async settle(): Promise<T[]> {
    const all = await Promise.allSettled(this.#underWay.map(({ work }) => work))
    return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }
}
