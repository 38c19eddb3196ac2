/**
 * Memory budget for responses: those built whole before sending, such as pages of large records, and streams. A caller with many
 * requests, or one that reads slowly, gets only a share. Routes name the caller and report when the response is gone; readers count
 * the memory with `countAnswer`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { RegistryError } from '../errors/errors.ts'
import { memoryBudgets } from '../memory.ts'
import type { Principal } from '../principal.ts'
import { accountShare, type Holder, SharedBudget } from './shared-budget.ts'

/** Copies of an answer's data in memory: as records, as their texts, as the text of the answer, and as its bytes. */
const copies = 4
/** Smaller responses are not counted: they are soon gone. Bytes of data. */
const uncountedBytesMax = 262_144
/** Share of one anonymous address, as in docs/limits.md. */
const addressShare = 1 / 8
/** Share of all anonymous addresses together, as in docs/limits.md. */
const strangersShare = 1 / 2
/** Share of an account above which its next stream is refused: the same as an address's. */
const streamsShare = addressShare

const mebibyte = 1024 ** 2
/**
 * Bytes counted for a stream, whatever it buffers at the moment. A stream of records or an archive buffers up to six leaves of
 * about a MiB, and its compressor; a file some pieces of 256 KiB.
 */
const streamBytes = { records: 8 * mebibyte, file: mebibyte }

/** Counter of the response under construction, for all functions called for it. */
const underWay = new AsyncLocalStorage<(bytes: number) => void>()

/**
 * Counts bytes of data for the current request's answer; outside of `AnswerBudget.whole` it counts nothing. Call it before
 * reading that much.
 * @throws busy if the bytes do not fit in the budget, or the client has disconnected.
 */
export const countAnswer = (bytes: number): void => underWay.getStore()?.(bytes)

/** Runs `work`; `count` counts its answer. */
export const counting = <T>(count: (bytes: number) => void, work: () => T): T => underWay.run(count, work)

/** The budget of this process. Routes use it; services only call `countAnswer`. */
export class AnswerBudget {
  readonly #shared: SharedBudget

  constructor(bytes = memoryBudgets.answers) {
    this.#shared = new SharedBudget(bytes)
  }

  /**
   * Runs `work`, which builds an answer. Its counted bytes are released when it has ended and the answer is gone.
   * @param gone resolves when the answer has been sent, or the client has disconnected
   */
  async whole<T>(who: Principal, gone: Promise<void>, work: () => Promise<T>): Promise<T> {
    const holders = holdersFor(who)
    let bytes = 0
    let taken = 0
    let isGone = false
    const noted = gone.then(() => {
      isGone = true
    })
    const count = (more: number) => {
      if (isGone) throw new RegistryError('busy')
      bytes += more
      if (bytes <= uncountedBytesMax) return
      this.#shared.take(holders, bytes * copies - taken, taken)
      taken = bytes * copies
    }
    const working = counting(count, work)
    void Promise.allSettled([working, noted]).then(() => this.#shared.give(holders, taken))
    return working
  }

  /**
   * Passes on the pieces of `source`. From the first piece on, the stream counts by its kind, until it has ended or is abandoned,
   * and the answer is gone.
   * @param gone as for `whole`
   * @throws busy from the iterator, before the first piece
   */
  async *stream(
    who: Principal,
    gone: Promise<void>,
    kind: keyof typeof streamBytes,
    source: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const holders = holdersFor(who, streamsShare)
    const bytes = streamBytes[kind]
    this.#shared.take(holders, bytes, 0)
    try {
      yield* source
    } finally {
      void gone.then(() => this.#shared.give(holders, bytes))
    }
  }
}

function holdersFor(who: Principal, share = accountShare): Holder[] {
  const name = readerOf(who)
  if (who.kind !== 'anonymous') return [{ name, share }]
  return [
    { name, share: addressShare },
    { name: 'strangers', share: strangersShare },
  ]
}

/** Key for turns and shares: an account, or the address of an anonymous caller. */
export const readerOf = (who: Principal): string =>
  who.kind === 'anonymous' ? `from ${who.address ?? 'here'}` : who.accountId
