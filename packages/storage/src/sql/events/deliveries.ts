/**
 * Table of deliveries: one row for each event that a webhook hears of, until the event goes. `fanOut` makes them in the order of events,
 * `claimDeliveries` hands out those that are due. A claim ends by itself, so that another server repeats what a dead one had begun.
 */
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { count, instant } from '../columns/columns.ts'
import { columnsOf, Values } from '../columns/rows.ts'
import { type EventRow, events, isOpen } from './events.ts'
import { type WebhookRow, webhooks } from './webhooks.ts'

export const deliveries = pgTable(
  'deliveries',
  {
    webhookId: uuid('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    seq: count('seq')
      .notNull()
      .references(() => events.seq, { onDelete: 'cascade' }),
    state: text('state', { enum: ['waiting', 'done', 'failed'] }).notNull(),
    /** Begun ones. */
    attempts: integer('attempts').notNull(),
    /** When the next attempt is due; null unless `waiting`. */
    nextAt: instant('next_at'),
    /** Until then a server is busy with it. */
    claimedUntil: instant('claimed_until'),
    /** Begin of the last attempt. */
    attemptedAt: instant('attempted_at'),
    status: integer('status'),
    why: text('why'),
    milliseconds: integer('milliseconds'),
  },
  (t) => [
    primaryKey({ columns: [t.webhookId, t.seq] }),
    index('deliveries_seq').on(t.seq),
    index('deliveries_due').on(t.webhookId, t.nextAt).where(sql`${t.state} = 'waiting'`),
    index('deliveries_claimed').on(t.claimedUntil).where(sql`${t.claimedUntil} is not null`),
    index('deliveries_attempted').on(t.attemptedAt),
  ],
)
export type DeliveryRow = typeof deliveries.$inferSelect

/** True in a join of `webhooks` with `events` and `accounts maker`: the maker may see the event now, by the rule of `listEvents`. */
const isHeard = `(${isOpen} or webhooks.made_by = events.account_id
  or exists (select from members where org_id = events.account_id and user_id = webhooks.made_by))`

const isMakerGone = '(maker.id is null or maker.suspended_at is not null)'
const withMaker = 'left join accounts maker on maker.id = webhooks.made_by'

/** True in such a join: the webhook asks for the event. */
const isWanted = `(webhooks.collection_id = events.collection_id
    or (webhooks.collection_id is null and webhooks.account_id = events.account_id))
  and (webhooks.kinds = '{}' or events.kind = any(webhooks.kinds))
  and (webhooks.bumps = '{}' or events.kind <> 'version.made' or events.details->>'bump' = any(webhooks.bumps))`

/**
 * Makes deliveries of the next `most` events for all webhooks that hear of them, and for those whose maker is gone, to be found there. One
 * caller at a time.
 * @returns the number of events looked at
 */
export async function fanOut(tx: Tx, most: number, now: Date): Promise<number> {
  const { rows } = await tx.query<{ fanned: number; until: number }>(
    `select fanned, least(next, fanned + $1) as until from event_numbers where fanned < next for update skip locked`,
    [most],
  )
  const place = rows[0]
  if (place === undefined) return 0
  await tx.query(
    `insert into deliveries (webhook_id, seq, state, attempts, next_at)
     select webhooks.id, events.seq, 'waiting', 0, $3 from events
     join webhooks on webhooks.enabled and ${isWanted} ${withMaker}
     where events.seq >= $1 and events.seq < $2 and (${isHeard} or ${isMakerGone})
     on conflict do nothing`,
    [place.fanned, place.until, now],
  )
  await tx.query('update event_numbers set fanned = $1', [place.until])
  return place.until - place.fanned
}

/**
 * Makes deliveries of up to `most` events after a number that a webhook hears of, whether it had them or not.
 * @returns their numbers, in order
 */
export async function replayEvents(
  tx: Tx,
  webhookId: string,
  { after, most, now }: { after: number; most: number; now: Date },
): Promise<number[]> {
  const { rows } = await tx.query<{ seq: number }>(
    `insert into deliveries (webhook_id, seq, state, attempts, next_at)
     select webhooks.id, events.seq, 'waiting', 0, $4 from events
     join webhooks on webhooks.id = $1 and ${isWanted}
     where events.seq > $2 and ${isHeard} order by events.seq limit $3
     on conflict (webhook_id, seq) do update set state = 'waiting', attempts = 0, next_at = $4, claimed_until = null
     returning seq`,
    [webhookId, after, most, now],
  )
  return rows.map(({ seq }) => seq).sort((a, b) => a - b)
}

/** Makes a delivery due. Returns false if there is none. */
export async function retryDelivery(tx: Tx, webhookId: string, seq: number, now: Date): Promise<boolean> {
  const { rows } = await tx.query(
    `update deliveries set state = 'waiting', attempts = 0, next_at = $3, claimed_until = null
     where webhook_id = $1 and seq = $2 returning 1`,
    [webhookId, seq, now],
  )
  return rows.length > 0
}

export type DeliveryItem = DeliveryRow & Pick<EventRow, 'at' | 'kind' | 'collectionId' | 'name' | 'details'>

/** The newest first, without those of events that neither the account of the webhook nor its maker may see. */
export async function listDeliveries(
  at: Queries,
  webhookId: string,
  { before, state, seq, limit }: { before?: number; state?: string; seq?: number; limit: number },
): Promise<DeliveryItem[]> {
  const values = new Values(webhookId, limit)
  const where = ['deliveries.webhook_id = $1']
  if (before !== undefined) where.push(`deliveries.seq < ${values.of(before)}`)
  if (seq !== undefined) where.push(`deliveries.seq = ${values.of(seq)}`)
  if (state !== undefined) where.push(`deliveries.state = ${values.of(state)}`)
  const { rows } = await at.query<DeliveryItem>(
    `select ${columnsOf(deliveries)}, events.at, events.kind, events.collection_id as "collectionId", events.name, events.details
     from deliveries join events on events.seq = deliveries.seq join webhooks on webhooks.id = deliveries.webhook_id ${withMaker}
     where ${where.join(' and ')} and (${isHeard} or events.account_id = webhooks.account_id) order by deliveries.seq desc limit $2`,
    values.given,
  )
  return rows
}

/** Bounds of claims. */
export interface ClaimBounds {
  /** Claims at most. */
  readonly most: number
  /** Requests to one host at the same time, by all servers. */
  readonly perHost: number
  /** Requests a minute to one host, by webhooks on collections of others. */
  readonly strangersPerMinute: number
  readonly leaseSeconds: number
  readonly now: Date
}

/** A delivery to make, with its webhook and its event. */
export interface ClaimedDelivery {
  readonly webhook: WebhookRow
  readonly event: EventRow
  readonly attempts: number
  /** False: the maker may no longer see the event. */
  readonly isHeard: boolean
  readonly isMakerGone: boolean
}

/** Claims due deliveries, the longest due first. */
export async function claimDeliveries(
  tx: Tx,
  { most, perHost, strangersPerMinute, leaseSeconds, now }: ClaimBounds,
): Promise<ClaimedDelivery[]> {
  const { rows: claimed } = await tx.query<{ webhookId: string; seq: number; attempts: number }>(
    `update deliveries d set claimed_until = $1::timestamptz + make_interval(secs => $4), attempted_at = $1, attempts = attempts + 1
     from (
       select webhook_id, seq from (
         select due.webhook_id, due.seq, due.next_at, w.host, (c.id is not null) as is_strangers,
           row_number() over (partition by w.host order by due.next_at, due.seq) as place
         from webhooks w join lateral (
           select webhook_id, seq, next_at from deliveries
           where webhook_id = w.id and state = 'waiting' and next_at <= $1 and (claimed_until is null or claimed_until <= $1)
           order by next_at, seq limit $3) due on true
         left join collections c on c.id = w.collection_id and c.owner_id <> w.account_id
         where w.enabled
       ) placed
       where place + (select count(*) from deliveries x join webhooks b on b.id = x.webhook_id and b.host = placed.host
           where x.claimed_until > $1) <= $3
         and (not is_strangers or place + ${requestsOfMinute('placed.host', '$1')} <= $5)
       order by next_at, seq limit $2
     ) chosen
     where d.webhook_id = chosen.webhook_id and d.seq = chosen.seq and d.state = 'waiting'
       and (d.claimed_until is null or d.claimed_until <= $1)
     returning d.webhook_id as "webhookId", d.seq, d.attempts`,
    [now, most, perHost, leaseSeconds, strangersPerMinute],
  )
  const found: ClaimedDelivery[] = []
  for (const { webhookId, seq, attempts } of claimed) {
    const webhook = await tx.query<WebhookRow & { isHeard: boolean; isMakerGone: boolean }>(
      `select ${columnsOf(webhooks)}, ${isHeard} as "isHeard", ${isMakerGone} as "isMakerGone"
       from events join webhooks on webhooks.id = $1 ${withMaker} where events.seq = $2`,
      [webhookId, seq],
    )
    const event = await tx.query<EventRow>(`select ${columnsOf(events)} from events where seq = $1`, [seq])
    const { isHeard: heard, isMakerGone: gone, ...row } = webhook.rows[0]!
    found.push({ webhook: row, event: event.rows[0]!, attempts, isHeard: heard, isMakerGone: gone })
  }
  return found
}

/** SQL for the requests to a host in the last minute by webhooks on collections of others, and all tests. */
const requestsOfMinute = (host: string, now: string) =>
  `((select count(*) from deliveries x join webhooks b on b.id = x.webhook_id join collections k on k.id = b.collection_id
      where x.attempted_at > ${now}::timestamptz - interval '1 minute' and b.host = ${host} and k.owner_id <> b.account_id)
    + (select count(*) from webhooks b where b.host = ${host} and b.tested_at > ${now}::timestamptz - interval '1 minute'))`

/** Requests to a host in the last minute that count to the limit of tests. */
export async function countRecentRequests(tx: Tx, host: string, now: Date): Promise<number> {
  const { rows } = await tx.query<{ found: number }>(`select ${requestsOfMinute('$1', '$2')} as found`, [
    host,
    now,
  ])
  return rows[0]!.found
}

export async function updateDelivery(
  tx: Tx,
  { webhookId, seq }: Pick<DeliveryRow, 'webhookId' | 'seq'>,
  changes: Partial<DeliveryRow>,
): Promise<void> {
  const values = new Values(webhookId, seq)
  await tx.query(
    `update deliveries set ${values.changes(deliveries, changes)} where webhook_id = $1 and seq = $2`,
    values.given,
  )
}

export async function deleteDelivery(
  tx: Tx,
  { webhookId, seq }: Pick<DeliveryRow, 'webhookId' | 'seq'>,
): Promise<void> {
  await tx.query('delete from deliveries where webhook_id = $1 and seq = $2', [webhookId, seq])
}
