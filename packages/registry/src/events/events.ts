/** Events: what changed in the registry, in one order, for callers that ask again and again or wait. http-api §12. */
import {
  accountIdsOf,
  type EventFilter,
  eventBounds,
  grantedCollectionIds,
  listEvents,
  numberEvents,
} from '@ulmus/storage'
import type { EventKind } from '@ulmus/wire'
import { demandCredential } from '../access/authority.ts'
import { findNamedAccount } from '../access/find-account.ts'
import { findNamedCollection } from '../access/find-collection.ts'
import { privateEventsFor } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { eventAnswer, pathOf } from './event-answers.ts'
import { Waiting } from './waiting.ts'

/** Filters and place of a request. */
export interface EventsAsk {
  /** Only later events. Undefined: from the oldest on that is kept; `latest`: from now on. */
  readonly after?: number | 'latest' | undefined
  /** `owner/slug` */
  readonly collection?: string | undefined
  readonly owner?: string | undefined
  readonly kind?: EventKind | undefined
  /** Seconds to wait for an event if there is none. Default 0. */
  readonly wait?: number | undefined
}

/** Events in one answer. */
const pageMax = 100
/** Numbers that one request looks at. Filters may match few of them. */
const scannedMax = 10_000
/** Changes that one transaction numbers. */
const numberedMax = 1_000

export type Events = ReturnType<typeof eventsOf>

/** @param waitingMax requests that may wait at once */
export function eventsOf(context: Context, waitingMax: () => number) {
  const { database, jobs, log } = context
  const number = async () => {
    // On a full disk the database must not write.
    if (await context.space.isFull()) return
    let numbered = numberedMax
    let isAny = false
    while (numbered === numberedMax) {
      numbered = await database.transactOnce((tx) => numberEvents(tx, numberedMax))
      isAny ||= numbered > 0
    }
    if (isAny) for (const kind of ['fanOut', 'log'] as const) jobs.wake(kind)
  }
  const waiting = new Waiting(database, log, waitingMax, number)
  jobs.clear('events', number, 'everywhere')
  return {
    /**
     * Lists events that the caller may see, the oldest first. `next` continues after them.
     * @throws events_gone, account_not_found, collection_not_found, busy; unauthenticated if the credential ended during the wait
     */
    async list(who: Principal, ask: EventsAsk, signal?: AbortSignal) {
      const end = performance.now() + (ask.wait ?? 0) * 1_000
      const caller = who.kind === 'anonymous' ? (who.address ?? '') : who.accountId
      let after: number | undefined = ask.after === 'latest' ? undefined : ask.after
      for (;;) {
        const filter = await filterOf(context, who, ask)
        const { oldest, next, nextSeen } = await eventBounds(database, filter)
        after ??= ask.after === 'latest' ? nextSeen - 1 : oldest - 1
        if (after < oldest - 1) throw new RegistryError('events_gone', { details: { oldest } })
        const before = Math.min(nextSeen, after + 1 + scannedMax)
        const rows = await listEvents(database, filter, { after, before, limit: pageMax })
        const left = end - performance.now()
        const isDone = rows.length > 0 || before < nextSeen
        if (isDone || left <= 0 || signal?.aborted === true || waiting.isClosed)
          return {
            events: rows.map((row) => eventAnswer(row, context.origin())),
            next: rows.length === pageMax ? rows.at(-1)!.seq : Math.max(after, before - 1),
          }
        after = Math.max(after, before - 1)
        await waiting.until(next, { caller, filter }, left, signal)
        // Rights may have ended meanwhile.
        if (who.kind !== 'anonymous') await database.transact((tx) => demandCredential(context, tx, who))
      }
    },

    /** True once `close` was called. */
    isClosed: () => waiting.isClosed,

    /** Ends all waiting. */
    close: () => waiting.close(),
  }
}

async function filterOf(context: Context, who: Principal, ask: EventsAsk): Promise<EventFilter> {
  const own = privateEventsFor(who)
  const [accountIds, collectionIds, collection, account] = await Promise.all([
    own === null ? [] : accountIdsOf(context.database, own.accountId),
    own === null ? [] : grantedCollectionIds(context.database, own.accountId),
    ask.collection === undefined ? undefined : findNamedCollection(context, who, pathOf(ask.collection)),
    ask.owner === undefined ? undefined : findNamedAccount(context, who, ask.owner),
  ])
  return {
    ...{ accountIds, collectionIds, kind: ask.kind },
    onlyCollections: own?.onlyCollections,
    collectionId: collection?.collection.id,
    accountId: account?.account.id,
  }
}
