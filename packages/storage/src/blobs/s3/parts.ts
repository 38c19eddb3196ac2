/** What is put, cut into parts as multipart uploads want them, copied and hashed a piece at a time so that it holds nobody up. */
import { createHash } from 'node:crypto'
import { giveWay } from '../../turn.ts'
import { partBytes } from './limits.ts'

export interface Part {
  /** From 1. */
  readonly number: number
  /** `partBytes`, of the last one at most. */
  readonly body: Uint8Array
  /** SHA-256 of the body in hexadecimal digits. */
  readonly digest: string
  readonly isLast: boolean
}

/** Copied and hashed at once: a millisecond or two. */
const pieceBytesMax = 1_048_576

/** One part at least; the last may be empty. What comes whole is not copied, what comes in pieces is copied once. */
export async function* partsOf(source: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  const whole = source instanceof Uint8Array ? source : undefined
  let number = 1
  let part = new Gathering(whole)
  for await (const chunk of whole === undefined ? (source as AsyncIterable<Uint8Array>) : [whole]) {
    for (let at = 0; at < chunk.length; ) {
      if (part.length === partBytes) {
        yield part.close(number, false)
        part = new Gathering(whole?.subarray(number * partBytes))
        number++
      }
      const piece = chunk.subarray(at, at + Math.min(pieceBytesMax, partBytes - part.length))
      part.add(piece)
      at += piece.length
      await giveWay()
    }
  }
  yield part.close(number, true)
}

/** A part as it gathers. */
class Gathering {
  readonly #bytes: Uint8Array
  readonly #isThere: boolean
  readonly #hash = createHash('sha256')
  length = 0

  /** @param there The bytes that will be added, and more, where they lie in memory already. */
  constructor(there: Uint8Array | undefined) {
    this.#isThere = there !== undefined
    this.#bytes = there ?? Buffer.allocUnsafeSlow(partBytes)
  }

  add(piece: Uint8Array): void {
    if (!this.#isThere) this.#bytes.set(piece, this.length)
    this.#hash.update(piece)
    this.length += piece.length
  }

  close(number: number, isLast: boolean): Part {
    return { number, isLast, body: this.#bytes.subarray(0, this.length), digest: this.#hash.digest('hex') }
  }
}
