/**
 * Stores that refuse writes, as this process meets them. Nothing can ask a bucket or a PostgreSQL server for its free space, so their refusals are
 * noted, for the log, `/readyz`, the metrics and the pages of operators.
 */
import {
  type BlobStore,
  type Database,
  type DiskSpace,
  isDatabaseFull,
  isStorageFull,
  StoreUnavailableError,
} from '@ulmus/storage'
import type { Log } from '../log.ts'

/** A store that refuses writes now. */
export interface RefusedWrites {
  /** `disk`: with the data of this server. */
  readonly store: 'disk' | 'database' | 'objects'
  /** True: writes get 507. False: 503. */
  readonly isFull: boolean
  readonly since: Date
  /** Error of the store, for operators. */
  readonly why?: string
}

/** A refusal counts this long, if no other follows. Milliseconds. */
const refusalMilliseconds = 300_000
/** A small write may succeed on a full store: it ends the refusal only this long after it. Milliseconds. */
const settledMilliseconds = 60_000

const sentences = {
  database: 'The disk of the database server is full: writes get 507 until there is room.',
  full: 'The object store is full: writes get 507 until there is room.',
  objects: 'The object store takes no writes: they get 503 until it does.',
}

export class WriteWatch {
  readonly #log: Log
  readonly #now: () => Date
  readonly #refused = new Map<RefusedWrites['store'], RefusedWrites & { last: number }>()

  constructor(log: Log, now: () => Date) {
    this.#log = log
    this.#now = now
  }

  /** Since when the disk of this server has been full. */
  diskFullSince: Date | undefined

  /** @param why error of the store */
  refuse(store: 'database' | 'objects', isFull: boolean, why: string): void {
    const known = this.#current(store)
    this.#refused.set(store, {
      store,
      isFull,
      why,
      since: known?.since ?? this.#now(),
      last: performance.now(),
    })
    if (known === undefined)
      this.#log.warn({ why }, sentences[store === 'objects' && isFull ? 'full' : store])
  }

  accept(store: 'objects'): void {
    const known = this.#current(store)
    if (known === undefined || performance.now() - known.last < settledMilliseconds) return
    this.#refused.delete(store)
    this.#log.info({}, 'The object store takes writes again.')
  }

  #current(store: RefusedWrites['store']) {
    const known = this.#refused.get(store)
    return known !== undefined && performance.now() - known.last < refusalMilliseconds ? known : undefined
  }

  list(): RefusedWrites[] {
    return (['database', 'objects'] as const).flatMap((store) => this.#current(store) ?? [])
  }
}

/** All stores that refuse writes now. */
export async function refusedWrites({
  space,
  writes,
  now,
}: {
  space: DiskSpace
  writes: WriteWatch
  now(): Date
}): Promise<RefusedWrites[]> {
  const disk = { store: 'disk', isFull: true, since: writes.diskFullSince ?? now() } as const
  return [...((await space.isFull()) ? [disk] : []), ...writes.list()]
}

/**
 * The same stores, with their refusals noted.
 * @param hasReserve true: if the objects are on disk, monitoring/disk-watch.ts watches it
 */
export const watchWrites = <Stores extends { database: Database; blobs: BlobStore }>(
  stores: Stores,
  watch: WriteWatch,
  hasReserve: boolean,
): Stores => ({
  ...stores,
  database: watchDatabase(stores.database, watch),
  blobs: watchBlobs(stores.blobs, watch, !hasReserve),
})

function watchBlobs(blobs: BlobStore, watch: WriteWatch, isWatched: boolean): BlobStore {
  return {
    ...blobs,
    async put(name, source) {
      try {
        const bytes = await blobs.put(name, source)
        watch.accept('objects')
        return bytes
      } catch (error) {
        // The source may fail, too, with errors of others.
        const isFull = isWatched && isStorageFull(error) && !isDatabaseFull(error)
        if (isFull || error instanceof StoreUnavailableError)
          watch.refuse('objects', isFull, (error as Error).message)
        throw error
      }
    },
  }
}

function watchDatabase(database: Database, watch: WriteWatch): Database {
  const noting =
    <Rest extends unknown[], T>(run: (...rest: Rest) => Promise<T>) =>
    (...rest: Rest): Promise<T> =>
      run(...rest).catch((error: unknown) => {
        if (isDatabaseFull(error)) watch.refuse('database', true, (error as Error).message)
        throw error
      })
  const { transact, transactOnce, query } = database
  return {
    ...database,
    transact: noting(transact) as Database['transact'],
    transactOnce: noting(transactOnce) as Database['transactOnce'],
    query: noting(query) as Database['query'],
  }
}
