/** Compares pairs of leaves in threads. Caches results: a difference is read for its totals, its pages and its summary, and often again. */
import type { Child } from '@ulmus/content'
import { giveWay, type ObjectReader } from '@ulmus/storage'
import { LRUCache } from 'lru-cache'
import type { Work } from '../work/work.ts'
import { changedLines, type LeafChange, wantedLines, withLines } from './changed-lines.ts'
import { compareLeaves, type LineChange } from './compare-leaves.ts'

/** Two leaves with the same range of keys. Their hashes identify the changes between them, which never change. */
export interface LeafPair {
  before: Child
  after: Child
}

type CachedChange = LineChange & LeafChange

export interface CompareOptions {
  /** Owner in the fair queue for threads (`readerOf`). */
  owner: string
  /** True: include the lines of both sides. */
  lines: boolean
}

/** Approximate size of a cached change without its lines. Bytes. */
const changeBytes = 640

export class LeafPairs {
  readonly #objects: ObjectReader
  readonly #work: Work
  readonly #cache: LRUCache<string, readonly CachedChange[]>

  /** @param options.bytesMax Maximum size of cached changes. Bytes. A pair that takes an eighth of it is not cached. */
  constructor(options: { objects: ObjectReader; work: Work; bytesMax: number }) {
    this.#objects = options.objects
    this.#work = options.work
    const maxSize = Math.max(1, Math.floor(options.bytesMax))
    this.#cache = new LRUCache({ maxSize, maxEntrySize: maxSize >>> 3 || 1, sizeCalculation: sizeOf })
  }

  /** Size of all cached changes. Bytes. */
  get bytes(): number {
    return this.#cache.calculatedSize
  }

  isCached(pair: LeafPair): boolean {
    return this.#cache.has(keyOf(pair))
  }

  /** Changes in key order. @throws ObjectCorruptError. */
  async compare(pair: LeafPair, { owner, lines }: CompareOptions): Promise<readonly LeafChange[]> {
    const cached = this.#cache.get(keyOf(pair))
    // A walk over cached pairs alone would block the event loop.
    if (cached !== undefined) await giveWay()
    let changes = cached ?? (await this.#compare(pair, owner))
    if (lines && !changes.every((change) => change.lines !== undefined))
      changes = withLines(changes, await this.#readLines(pair, changes, owner))
    if (changes !== cached) this.#cache.set(keyOf(pair), changes)
    return changes
  }

  async #compare({ before, after }: LeafPair, owner: string): Promise<readonly CachedChange[]> {
    const [old, next] = await this.#objects.encodedPair('plain', [before.hash, after.hash])
    const task = { before: { ...before, node: old }, after: { ...after, node: next } }
    return this.#work.run(compareLeaves, task, { owner })
  }

  async #readLines(
    { before, after }: LeafPair,
    changes: readonly CachedChange[],
    owner: string,
  ): Promise<Uint8Array> {
    const [old, next] = await this.#objects.encodedPair('body', [before.hash, after.hash])
    const task = { before: old, after: next, wanted: wantedLines(changes) }
    return this.#work.run(changedLines, task, { owner })
  }
}

const keyOf = ({ before, after }: LeafPair): string => `${before.hash} ${after.hash}`

const sizeOf = (changes: readonly CachedChange[]): number =>
  changes.reduce(
    (sum, { lines }) => sum + changeBytes + (lines?.before?.length ?? 0) + (lines?.after?.length ?? 0),
    changeBytes,
  )
