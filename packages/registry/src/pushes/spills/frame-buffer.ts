/** Memory that the entries of a frame share. Only those who use them know when they are done with it, so it counts its users. */
import { free } from '../../work/buffers.ts'

/** Given back when everyone who retained it has released it. Where some never do, it is collected as everything else. */
export class FrameBuffer {
  readonly #bytes: Uint8Array
  /** The creator is the first user. */
  #users = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  retain(): void {
    this.#users++
  }

  /** Call it at most once per retain, after the last use. */
  release(): void {
    if (--this.#users === 0) free(this.#bytes)
  }
}
