/**
 * Read cache for values named by a hash, so they never change; bounded in bytes. Concurrent reads of one key share one load. Values are
 * shared between readers, which must not change them.
 */
import type { Hash } from '@ulmus/content'
import { LRUCache } from 'lru-cache'
import { giveWay } from '../turn.ts'

export interface ReadCache<T extends object> {
  /**
   * Returns the cached value, or loads it; `load` also returns its cost. A failure rejects all waiting readers and is not cached.
   * @param worthKeeping Whether to cache the loaded value. Default: always.
   */
  get(
    hash: Hash,
    load: () => Promise<{ value: T; bytes: number }>,
    worthKeeping?: (value: T) => boolean,
  ): Promise<T>
  /** Caches a value that was made rather than loaded. `bytes`: its cost. */
  keep(hash: Hash, value: T, bytes: number): void
  /**
   * Decides whether to cache a value of this size when it is loaded: it is cached, there is room, or it was requested recently, within an
   * eighth of a cache turnover. Otherwise rare reads would evict frequent ones and be evicted themselves.
   */
  shouldCache(hash: Hash, bytes: number): boolean
  /** Cached value, without loading and without counting as a use. */
  peek(hash: Hash): T | undefined
  bytes(): number
}

/** Approximate overhead of an entry: its key and its place in the map. Bytes. */
const entryBytes = 256
/** Minimum weight of a remembered request, which bounds their number. Bytes. */
const askedBytesMin = 65_536

/** @param bytesMax Bytes. If it is below the cost of an entry, nothing is cached. Values larger than an eighth of it are not cached. */
export function openReadCache<T extends object>(bytesMax: number): ReadCache<T> {
  const max = Math.floor(bytesMax)
  const kept =
    max < entryBytes ? undefined : new LRUCache<Hash, T>({ maxSize: max, maxEntrySize: max >>> 3 || 1 })
  const asked = kept && new LRUCache<Hash, true>({ maxSize: max >>> 3 })
  const loading = new Map<Hash, Promise<T>>()

  const keep = (hash: Hash, value: T, bytes: number) =>
    void kept?.set(hash, value, { size: bytes + entryBytes })

  async function loadAndKeep(
    hash: Hash,
    load: () => Promise<{ value: T; bytes: number }>,
    worthKeeping: (value: T) => boolean,
  ): Promise<T> {
    try {
      const { value, bytes } = await load()
      if (worthKeeping(value)) keep(hash, value, bytes)
      return value
    } finally {
      loading.delete(hash)
    }
  }

  return {
    async get(hash, load, worthKeeping = () => true) {
      const found = kept?.get(hash)
      if (found !== undefined) {
        // Yield: a scan over cached values alone would block the event loop.
        await giveWay()
        return found
      }
      let work = loading.get(hash)
      if (work === undefined) {
        work = loadAndKeep(hash, load, worthKeeping)
        loading.set(hash, work)
      }
      return work
    },
    keep,
    shouldCache(hash, bytes) {
      const size = bytes + entryBytes
      if (kept === undefined || size > max >>> 3) return false
      if (kept.has(hash) || kept.calculatedSize + size <= max || asked!.has(hash)) return true
      asked!.set(hash, true, { size: Math.max(size, askedBytesMin) })
      return false
    },
    peek: (hash) => kept?.peek(hash),
    bytes: () => kept?.calculatedSize ?? 0,
  }
}
