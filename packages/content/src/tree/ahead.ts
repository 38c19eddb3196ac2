/** Work under way, some at once, whose results are taken in the order in which it was begun. */
export class Ahead<T> {
  /** Pieces of work at once. May be changed at any time. */
  most: number
  readonly #bytesMost: number
  readonly #underWay: { work: Promise<T>; bytes: number }[] = []
  #bytes = 0

  /** @param bounds Pieces of work at once, and the bytes that they are about together, unless one alone is about more. */
  constructor(bounds: { most: number; bytesMost: number }) {
    this.most = bounds.most
    this.#bytesMost = bounds.bytesMost
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  /** Whether one more, about so many bytes, is within bounds. */
  hasRoom(bytes: number): boolean {
    return this.isEmpty || (this.#underWay.length < this.most && this.#bytes + bytes <= this.#bytesMost)
  }

  /** Adds work that has begun. `take` rethrows its error; without a `take`, the error is dropped. */
  add(work: Promise<T>, bytes: number): void {
    work.catch(() => undefined)
    this.#underWay.push({ work, bytes })
    this.#bytes += bytes
  }

  /** Returns the result of the work added first, or rejects with its error. Requires pending work. */
  take(): Promise<T> {
    const { work, bytes } = this.#underWay.shift()!
    this.#bytes -= bytes
    return work
  }

  /** Waits for all that is left, whatever comes of it. What came of what did not fail. */
  async settle(): Promise<T[]> {
    const all = await Promise.allSettled(this.#underWay.map(({ work }) => work))
    return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }
}
