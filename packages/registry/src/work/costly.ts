/** Schemas found too costly, and their owners: refused at once for a while, with one worker at a time for the owner. */
import { LRUCache } from 'lru-cache'

/** How long schemas are refused that were too costly. Milliseconds. */
export const refusedMilliseconds = 60_000
/** How long their owner is slowed. Milliseconds. */
const slowedMilliseconds = 300_000
/** Number of schemas, and of owners, to remember. */
const rememberedMax = 10_000

export class Costly {
  readonly #schemas = new LRUCache<string, true>({ max: rememberedMax, ttl: refusedMilliseconds })
  readonly #owners = new LRUCache<string, true>({ max: rememberedMax, ttl: slowedMilliseconds })

  /** @param schemas names them; undefined: it is not known which they were */
  note(owner: string, schemas: string | undefined): void {
    this.#owners.set(owner, true)
    if (schemas !== undefined) this.#schemas.set(`${owner} ${schemas}`, true)
  }

  /** Per owner: others must not suffer for one owner's schemas. */
  isRefused(owner: string, schemas: string | undefined): boolean {
    return schemas !== undefined && this.#schemas.has(`${owner} ${schemas}`)
  }

  isSlowed(owner: string): boolean {
    return this.#owners.has(owner)
  }
}
