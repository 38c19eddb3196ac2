/**
 * Memory that many share: all of them together have what there is, those of one account half of it. What finds no room is refused at
 * once: nobody waits for whoever is slow.
 */
import { totalmem } from 'node:os'
import { RegistryError } from './errors.ts'
import type { Principal } from './principal.ts'

const mebibyte = 1024 ** 2
/** A quarter of the machine's memory, within bounds. Bytes. */
export const roomBytesUsual = Math.min(Math.max(512 * mebibyte, totalmem() / 4), 2_048 * mebibyte)

export class Room {
  readonly #bytes: number
  /** By account, or nobody; only those that hold something. Bytes. */
  readonly #held = new Map<string, number>()
  #heldTogether = 0

  constructor(bytes = roomBytesUsual) {
    this.#bytes = bytes
  }

  /** @throws busy when there is no room. */
  take(who: Principal, bytes: number): void {
    const holder = holderOf(who)
    const held = (this.#held.get(holder) ?? 0) + bytes
    if (held > this.#bytes / 2 || this.#heldTogether + bytes > this.#bytes) throw new RegistryError('busy')
    this.#held.set(holder, held)
    this.#heldTogether += bytes
  }

  give(who: Principal, bytes: number): void {
    const holder = holderOf(who)
    const held = (this.#held.get(holder) ?? 0) - bytes
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#heldTogether -= bytes
  }
}

const holderOf = (who: Principal): string => (who.kind === 'anonymous' ? '' : who.accountId)
