/**
 * Memory for answers that are put together whole before they are sent, such as pages of large records: whoever asks for many at
 * once, or does not take them, has a part of it. Streams hold little and are not counted.
 */
import type { Principal } from './principal.ts'
import { Room, roomBytesUsual } from './room.ts'

/** Of an answer's data as records, as their texts, as the text of the answer, and as its bytes. */
const copies = 4
/** What small answers hold is not counted: they are soon gone. Bytes of data. */
const uncountedBytesMax = 262_144

/** What one answer holds. */
export interface AnswerBytes {
  /** Call it before so much data is read. Bytes. @throws busy when there is no room. */
  add(bytes: number): void
}

export class AnswerRoom {
  readonly #room: Room

  constructor(bytes = roomBytesUsual) {
    this.#room = new Room(bytes)
  }

  /** @param gone Resolves when the answer has been sent, or nobody takes it any more: until then it has its room. */
  for(who: Principal, gone: Promise<void>): AnswerBytes {
    let bytes = 0
    let taken = 0
    let isGone = false
    void gone.then(() => {
      isGone = true
      this.#room.give(who, taken)
    })
    return {
      add: (more) => {
        bytes += more
        if (isGone || bytes <= uncountedBytesMax) return
        this.#room.take(who, bytes * copies - taken)
        taken = bytes * copies
      },
    }
  }
}
