/** Reads the audit log, which `acts.ts` writes. Admins read the log of their organization, users their own. http-api §11. */

import { type AuditFilter, type AuditItem, findActor, listAuditEvents } from '@ulmus/storage'
import type { AuditEvent } from '@ulmus/wire'
import { findVisibleAccount } from '../access/find-account.ts'
import { mayManageAccount } from '../access/policy.ts'
import { isAccountSlug } from '../access/slugs.ts'
import { byInstant, mapPage, type Page, type PageAsk, pageOf } from '../answers/pages.ts'
import { instantText, readInstant } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'

/** Filters of a request. Undefined matches every event. */
export interface AuditAsk {
  /** Slug of the actor. */
  readonly actor?: string | undefined
  readonly action?: string | undefined
  /** An instant; only later events match. */
  readonly after?: string | undefined
}

/** Rows that a stream reads in one query. */
const streamedAtOnce = 1_000
/** Order of all pages of the log, also of the operators'. */
export const newestFirst = byInstant('audit')
/** Position of an event in this order. */
export const placeOf = ({ event }: AuditItem) => ({ value: event.at, id: event.id })

export function auditOf(context: Context) {
  const { database } = context
  return {
    /**
     * Lists the events, the newest first.
     * @throws account_not_found, MovedError, insufficient_scope, key_limited, not_a_member, insufficient_role; invalid_request if
     * `after` is outside the years 0001 to 9999
     */
    async list(who: Principal, slug: string, ask: AuditAsk & PageAsk): Promise<Page<AuditEvent>> {
      const filter = await filterOf(context, await demandLog(context, who, slug), ask)
      if (filter === undefined) return { items: [], links: {} }
      const page = await pageOf(
        ask,
        newestFirst,
        (slice) => listAuditEvents(database, filter, slice),
        placeOf,
      )
      return mapPage(page, eventAnswer)
    },

    /** Streams all events, the newest first, as one JSON object a line. @throws the errors of `list`, before the first line */
    async stream(who: Principal, slug: string, ask: AuditAsk): Promise<AsyncGenerator<Uint8Array>> {
      return linesOf(context, await filterOf(context, await demandLog(context, who, slug), ask))
    },
  }
}

/** Id of an account whose log the caller may read. */
async function demandLog(context: Context, who: Principal, slug: string): Promise<string> {
  const { account, role } = await findVisibleAccount(context, who, slug)
  demand(mayManageAccount(who, role), { owner: slug, needed: 'admin' })
  return account.id
}

async function filterOf(
  context: Context,
  accountId: string,
  ask: AuditAsk,
): Promise<AuditFilter | undefined> {
  const filter = await filterBy(context, ask)
  return filter && { ...filter, accountId }
}

/**
 * Filter for a request, over all logs. Returns undefined if no account has the actor's slug: no event can match.
 * @throws invalid_request if `after` is outside the years 0001 to 9999, which PostgreSQL reads
 */
export async function filterBy(
  { database }: Context,
  { actor, action, after }: AuditAsk,
): Promise<AuditFilter | undefined> {
  const filter = {
    ...(action !== undefined && { action }),
    ...(after !== undefined && { after: readInstant('after', after) }),
  }
  if (actor === undefined) return filter
  const actorId = isAccountSlug(actor) ? await findActor(database, actor) : undefined
  return actorId === undefined ? undefined : { ...filter, actorId }
}

async function* linesOf({ database }: Context, filter: AuditFilter | undefined): AsyncGenerator<Uint8Array> {
  if (filter === undefined) return
  let beyond: ReturnType<typeof placeOf> | undefined
  do {
    const slice = { limit: streamedAtOnce, offset: 0, backwards: false, ...(beyond && { beyond }) }
    const items = await listAuditEvents(database, filter, slice)
    const last = items.at(-1)
    if (last === undefined) return
    yield Buffer.from(items.map((item) => `${JSON.stringify(eventAnswer(item))}\n`).join(''))
    beyond = items.length < streamedAtOnce ? undefined : placeOf(last)
  } while (beyond !== undefined)
}

/** An event in the form of answers. */
export const eventAnswer = ({ event, actorSlug }: AuditItem): AuditEvent => ({
  id: event.id,
  at: instantText(event.at),
  actor: {
    account: actorSlug,
    ...(event.means.key && { key: event.means.key }),
    ...(event.means.address !== undefined && { ip: event.means.address }),
  },
  ...{ action: event.action, target: event.target, details: event.details },
})
