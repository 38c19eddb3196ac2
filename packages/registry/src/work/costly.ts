/**
 * Remembers schemas that were too costly, and their owners. Such schemas are refused at once for a while, and their owner gets
 * one worker thread at a time.
 */
import { LRUCache } from 'lru-cache'

/** Time for which too costly schemas are refused. Milliseconds. */
export const refusedMilliseconds = 60_000
/** Time for which their owner is slowed. Milliseconds. */
const slowedMilliseconds = 300_000
/** Schemas, and owners, to remember. */
const rememberedMax = 10_000

/** Memory of this process only; a restart forgets it. */
export class Costly {
  readonly #schemas = new LRUCache<string, true>({ max: rememberedMax, ttl: refusedMilliseconds })
  readonly #owners = new LRUCache<string, true>({ max: rememberedMax, ttl: slowedMilliseconds })

  /** @param schemas their name; undefined if it is unknown */
  note(owner: string, schemas: string | undefined): void {
    this.#owners.set(owner, true)
    if (schemas !== undefined) this.#schemas.set(`${owner} ${schemas}`, true)
  }

  /** Per owner: other owners may use the same schemas. */
  isRefused(owner: string, schemas: string | undefined): boolean {
    return schemas !== undefined && this.#schemas.has(`${owner} ${schemas}`)
  }

  isSlowed(owner: string): boolean {
    return this.#owners.has(owner)
  }
}
