/** Requests that wait for events. While there are any, one query a second looks for all of them. */
import { type Database, type EventFilter, type EventRow, eventsFrom } from '@ulmus/storage'
import { RegistryError } from '../errors/errors.ts'
import type { Log } from '../log.ts'

const pollMilliseconds = 1_000
/** Events that are compared with filters at once; after more, all waiting requests look for themselves. */
const comparedMax = 1_000

/** Share of `most` for one caller. */
const callerShare = 1 / 4

interface Waiter {
  /** Account or address. */
  readonly caller: string
  readonly filter: EventFilter
  readonly wake: () => void
}

export class Waiting {
  readonly #waiters = new Set<Waiter>()
  readonly #database: Database
  readonly #log: Log
  readonly #most: () => number
  readonly #number: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  /** Events before this number were compared. */
  #next = 0
  #closed = false

  /**
   * @param most requests that may wait at once: each holds a connection
   * @param number numbers changes, so that waiting requests need not wait for the task that does
   */
  constructor(database: Database, log: Log, most: () => number, number: () => Promise<void>) {
    this.#number = number
    this.#most = most
    this.#database = database
    this.#log = log
  }

  /**
   * Resolves when an event from the number `next` on may be of interest, after `milliseconds`, when `signal` aborts, or when the server
   * closes.
   * @throws busy if too many wait, in all or of this caller
   */
  async until(
    next: number,
    { caller, filter }: { caller: string; filter: EventFilter },
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#waiters.size === 0) this.#next = next
    // Between the caller's look and now an event came, and was compared without it.
    if (this.#closed || next < this.#next || signal?.aborted === true) return
    this.#demandRoom(caller)
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter = { caller, filter, wake: resolve }
    this.#waiters.add(waiter)
    this.#timer ??= setTimeout(() => this.#look(), pollMilliseconds)
    const timeout = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timeout)
    this.#waiters.delete(waiter)
  }

  #demandRoom(caller: string): void {
    const most = this.#most()
    const own = [...this.#waiters].filter((waiter) => waiter.caller === caller).length
    if (this.#waiters.size >= most || own >= Math.max(1, most * callerShare))
      throw new RegistryError('busy', { say: { waiting: true } })
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Ends all waiting. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const { wake } of this.#waiters) wake()
  }

  async #look(): Promise<void> {
    try {
      await this.#number()
      const found = await eventsFrom(this.#database, this.#next, comparedMax)
      const last = found.at(-1)
      if (last !== undefined) this.#next = last.seq + 1
      for (const { filter, wake } of this.#waiters)
        if (found.length === comparedMax || found.some((event) => mayConcern(event, filter))) wake()
    } catch (error) {
      this.#log.error({ err: error }, 'looking for events failed')
    }
    this.#timer =
      this.#waiters.size === 0 || this.#closed ? undefined : setTimeout(() => this.#look(), pollMilliseconds)
  }
}

/** The list decides; this only saves its query. */
function mayConcern(event: EventRow, filter: EventFilter): boolean {
  const { accountIds, collectionIds = [], onlyCollections, collectionId, accountId, kind } = filter
  const isOwn =
    (accountIds.includes(event.accountId) || collectionIds.includes(event.collectionId)) &&
    (onlyCollections?.includes(event.collectionId) ?? true)
  return (
    (event.public || isOwn) &&
    (collectionId ?? event.collectionId) === event.collectionId &&
    (accountId ?? event.accountId) === event.accountId &&
    (kind ?? event.kind) === event.kind
  )
}
