/** Memory budget for request bodies, which are read whole before they are checked. */
import { giveWay } from '@ulmus/storage'
import { RegistryError } from '../errors/errors.ts'
import { memoryBudgets } from '../memory.ts'
import type { Principal } from '../principal.ts'
import { joined, type Pieces } from '../work/buffers.ts'
import { accountShare, SharedBudget } from './shared-budget.ts'

const mebibyte = 1024 ** 2
/** Minimum size of copied pieces, except for the last: less than a millisecond each. Bytes. */
const pieceBytesMin = mebibyte / 4

/** Budget for the bodies of pushes and of metadata patches. */
export class BodyBudget {
  readonly #shared: SharedBudget

  /** @param bytes A larger body is accepted only while there is no other. */
  constructor(bytes = memoryBudgets.bodies) {
    this.#shared = new SharedBudget(bytes)
  }

  /**
   * Gathers a body and returns the result of `work` on it; the body counts until then.
   * @throws too_large once more than `bytesMax` bytes have arrived; busy if they do not fit in the budget; the rejection of
   * `work`
   */
  async gather<T>(
    who: Principal,
    body: AsyncIterable<Uint8Array>,
    bytesMax: number,
    work: (pieces: Pieces) => Promise<T>,
  ): Promise<T> {
    const holders = [{ name: who.kind === 'anonymous' ? '' : who.accountId, share: accountShare }]
    const pieces: Pieces = []
    const chunks: Uint8Array[] = []
    let [length, joinedLength] = [0, 0]
    try {
      for await (const chunk of body) {
        if (length + chunk.length > bytesMax) throw tooLarge(bytesMax)
        this.#shared.take(holders, chunk.length, length)
        length += chunk.length
        chunks.push(chunk)
        if (length - joinedLength < pieceBytesMin) continue
        pieces.push(joined(chunks))
        joinedLength = length
        await giveWay()
      }
      if (chunks.length > 0) pieces.push(joined(chunks))
      return await work(pieces)
    } finally {
      this.#shared.give(holders, length)
    }
  }
}

const tooLarge = (bytesMax: number): RegistryError =>
  new RegistryError('too_large', {
    say: { limit: `${bytesMax} bytes (${Math.floor(bytesMax / mebibyte)} MiB)` },
    details: { limitBytes: bytesMax },
  })
