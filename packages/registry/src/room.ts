/**
 * Memory that many share. All of them together have what there is, each a share of it: what finds no room is refused at once, for
 * nobody should wait for whoever is slow. Who is alone has room for anything.
 */
import { totalmem } from 'node:os'
import { RegistryError } from './errors.ts'

const mebibyte = 1024 ** 2
/** A quarter of the machine's memory, within bounds. Bytes. */
export const roomBytesUsual = Math.min(Math.max(512 * mebibyte, totalmem() / 4), 2_048 * mebibyte)

/** Who holds a part of the room. */
export interface Holder {
  readonly name: string
  /** Of the whole, at most. */
  readonly share: number
}

/** An account's share of a room. */
export const accountShare = 1 / 2

export class Room {
  readonly #bytes: number
  /** By name; only those that hold something. Bytes. */
  readonly #held = new Map<string, number>()
  #heldTogether = 0

  constructor(bytes = roomBytesUsual) {
    this.#bytes = bytes
  }

  /**
   * Takes room for one thing that several may answer for, such as an address and all who are not known.
   * @param own What the thing has already. Bytes.
   * @throws busy when there is no room.
   */
  take(holders: readonly Holder[], bytes: number, own: number): void {
    const isOver = (held: number, share: number) => held > own && held + bytes > this.#bytes * share
    if (isOver(this.#heldTogether, 1)) throw new RegistryError('busy')
    for (const { name, share } of holders)
      if (isOver(this.#held.get(name) ?? 0, share)) throw new RegistryError('busy')
    for (const { name } of holders) this.#held.set(name, (this.#held.get(name) ?? 0) + bytes)
    this.#heldTogether += bytes
  }

  give(holders: readonly Holder[], bytes: number): void {
    for (const { name } of holders) {
      const held = (this.#held.get(name) ?? 0) - bytes
      if (held > 0) this.#held.set(name, held)
      else this.#held.delete(name)
    }
    this.#heldTogether -= bytes
  }
}
