/** Memory that the entries of a frame share, which nobody knows to be done with but those who use them. */
import { free } from '../free.ts'

/** Given back when all who share it have left. Where some never do, it is collected as everything else. */
export class FrameRoom {
  readonly #bytes: Uint8Array
  #left: number

  constructor(bytes: Uint8Array, sharers: number) {
    this.#bytes = bytes
    this.#left = sharers
  }

  /** To be called at most once for each that shares it, which nobody looks at any more. */
  leave(): void {
    if (--this.#left === 0) free(this.#bytes)
  }
}
