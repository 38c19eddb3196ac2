/** Memory that the entries of a frame share, which nobody knows to be done with but those who use them. */
import { free } from '../../threads/free.ts'

/** Given back when all who have entered have left. Where some never do, it is collected as everything else. */
export class FrameRoom {
  readonly #bytes: Uint8Array
  /** Whoever makes it is in it. */
  #inside = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  enter(): void {
    this.#inside++
  }

  /** To be called at most once for each that has entered, which nobody looks at any more. */
  leave(): void {
    if (--this.#inside === 0) free(this.#bytes)
  }
}
