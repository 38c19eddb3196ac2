/**
 * Memory for answers: those that are put together whole before they are sent, such as pages of large records, and streams. Whoever asks
 * for many at once, or does not take them, has a part of it.
 */

import type { Principal } from '../access/principal.ts'
import { RegistryError } from '../errors/errors.ts'
import { accountShare, type Holder, Room, roomBytesUsual } from './room.ts'

/** Of an answer's data as records, as their texts, as the text of the answer, and as its bytes. */
const copies = 4
/** What small answers hold is not counted: they are soon gone. Bytes of data. */
const uncountedBytesMax = 262_144
/** Of whoever gives no credential: each address, and all of them together. */
const addressShare = 1 / 8
const strangersShare = 1 / 2
/** What one account may hold before its next stream is refused: as much as an address. */
const streamsShare = addressShare

const mebibyte = 1024 ** 2
/**
 * What a stream is counted as, whatever it holds at the moment. One of records, or an archive, holds up to six leaves of about a MiB and what
 * compresses them; a file some pieces of 256 KiB. Bytes.
 */
export const streamBytes = { records: 8 * mebibyte, file: mebibyte }

/** Where an answer goes. */
export interface Destination {
  /** Network address. */
  readonly address: string
  /** Resolves when the answer has been sent, or nobody takes it any more. */
  readonly gone: Promise<void>
}

/** What one answer holds. */
export interface AnswerBytes {
  /** Call it before so much data is read. Bytes. @throws busy when there is no room, or nobody takes the answer any more. */
  add(bytes: number): void
}

export class AnswerRoom {
  readonly #room: Room

  constructor(bytes = roomBytesUsual) {
    this.#room = new Room(bytes)
  }

  /**
   * Runs `work`, which puts an answer together. What it says to hold it has until it has ended and the answer is gone.
   * @param to Undefined: the answer stays in this process and is not counted.
   */
  async with<T>(
    who: Principal,
    to: Destination | undefined,
    work: (answer: AnswerBytes) => Promise<T>,
  ): Promise<T> {
    if (to === undefined) return work({ add: () => undefined })
    const holders = holdersFor(who, to.address)
    let bytes = 0
    let taken = 0
    let isGone = false
    const gone = to.gone.then(() => {
      isGone = true
    })
    const working = work({
      add: (more) => {
        if (isGone) throw new RegistryError('busy')
        bytes += more
        if (bytes <= uncountedBytesMax) return
        this.#room.take(holders, bytes * copies - taken, taken)
        taken = bytes * copies
      },
    })
    void Promise.allSettled([working, gone]).then(() => this.#room.give(holders, taken))
    return working
  }

  /**
   * What `source` gives. From its first piece on it counts as so many bytes, until it has ended or is left, and the answer is gone.
   * @param to Undefined: it stays in this process and is not counted.
   * @throws busy from the iterator, before the first piece.
   */
  async *stream(
    who: Principal,
    to: Destination | undefined,
    bytes: number,
    source: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    if (to === undefined) return yield* source
    const holders = holdersFor(who, to.address, streamsShare)
    this.#room.take(holders, bytes, 0)
    try {
      yield* source
    } finally {
      void to.gone.then(() => this.#room.give(holders, bytes))
    }
  }
}

function holdersFor(who: Principal, address: string, share = accountShare): Holder[] {
  const name = readerOf(who, address)
  if (who.kind !== 'anonymous') return [{ name, share }]
  return [
    { name, share: addressShare },
    { name: 'strangers', share: strangersShare },
  ]
}

/** Who takes turns and a share: an account, or the address of whoever gives no credential. */
export const readerOf = (who: Principal, address: string | undefined): string =>
  who.kind === 'anonymous' ? `from ${address ?? 'here'}` : who.accountId
