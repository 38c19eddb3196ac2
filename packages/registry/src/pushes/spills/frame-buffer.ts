/** Memory that the entries of a frame share. It counts its users, because only they know when they are done. */
import { free } from '../../work/buffers.ts'

/** Frees the memory when every user has released it. If one never does, the garbage collector frees it. */
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
