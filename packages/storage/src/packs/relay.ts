/**
 * Relay between the producer and the reader of a byte stream: joins many small pieces into few large ones. A pack's writer adds objects of
 * some hundred bytes, and the blob store pulls pieces to write.
 */

/** Size of one piece, which is one write to a file. Bytes. */
const pieceBytes = 524_288

/** Fills one piece while the previous one is read. The two buffers are reused, so nothing waits for garbage collection. */
export class Relay {
  #filling = Buffer.allocUnsafeSlow(pieceBytes)
  #spare = Buffer.allocUnsafeSlow(pieceBytes)
  #filled = 0
  /** The next piece; undefined at the end. */
  #offer = Promise.withResolvers<Uint8Array | undefined>()
  /** Resolves when the previous piece has been read. */
  #taken = Promise.resolve()
  #isRead: () => void = () => undefined
  #failure: Error | undefined

  constructor() {
    // The reader may have stopped.
    this.#offer.promise.catch(() => undefined)
  }

  /** Call once. Requesting the next piece overwrites the previous one. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = await this.#offer.promise
      if (this.#failure !== undefined) throw this.#failure
      if (piece === undefined) return
      this.#offer = Promise.withResolvers()
      this.#offer.promise.catch(() => undefined)
      yield piece
      this.#isRead()
    }
  }

  /** Resolves when `bytes` are copied. @param reading Rejects when the reader has stopped; then this rejects too. */
  async write(bytes: Uint8Array, reading: Promise<unknown>): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === pieceBytes) await this.#pass(reading)
      const part = bytes.subarray(at, at + pieceBytes - this.#filled)
      this.#filling.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
    }
  }

  /** Resolves when the last piece has been passed to the reader. */
  async end(reading: Promise<unknown>): Promise<void> {
    if (this.#filled > 0) await this.#pass(reading)
    await Promise.race([this.#taken, reading])
    this.#offer.resolve(undefined)
  }

  /** Makes the reader's next read fail. */
  fail(error: Error): void {
    this.#failure = error
    this.#offer.reject(error)
  }

  async #pass(reading: Promise<unknown>): Promise<void> {
    await Promise.race([this.#taken, reading])
    const piece = this.#filling.subarray(0, this.#filled)
    ;[this.#filling, this.#spare] = [this.#spare, this.#filling]
    this.#filled = 0
    this.#taken = new Promise((resolve) => {
      this.#isRead = resolve
    })
    this.#offer.resolve(piece)
  }
}
