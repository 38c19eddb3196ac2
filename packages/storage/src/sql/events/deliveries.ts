/**
 * Table of deliveries: one row for each event that a webhook receives, until the event goes. `fanOut` makes them in the order of events,
 * `claimDeliveries` hands out those that are due. A claim ends by itself, so that another server repeats what a dead one had begun.
 */
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { count, instant } from '../columns/columns.ts'
import { columnsOf, Values } from '../columns/rows.ts'
import { type EventRow, events, isOpen } from './events.ts'
import { minuteOf, type WebhookRow, webhooks } from './webhooks.ts'

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
    index('deliveries_due').on(t.webhookId, t.nextAt, t.seq).where(sql`${t.state} = 'waiting'`),
    index('deliveries_waiting').on(t.nextAt).where(sql`${t.state} = 'waiting'`),
    index('deliveries_claimed').on(t.claimedUntil).where(sql`${t.claimedUntil} is not null`),
  ],
)
export type DeliveryRow = typeof deliveries.$inferSelect

/** One row: webhooks have deliveries of all events before `next`. */
export const fanOutPlace = pgTable(
  'fan_out',
  { onlyOne: boolean('only_one').primaryKey(), next: count('next').notNull() },
  (t) => [check('fan_out_only_one', sql`${t.onlyOne}`)],
)

/**
 * True in a join of `webhooks` with `events` and `accounts maker`: the maker may see the event now, by the rule of `listEvents`. Private
 * ones of other accounts go to no webhook that others than the maker can read.
 */
const isHeard = `(${isOpen} or (webhooks.account_id in (events.account_id, webhooks.made_by)
  and (webhooks.made_by = events.account_id
    or exists (select from members where org_id = events.account_id and user_id = webhooks.made_by)
    or exists (select from collaborators g where g.collection_id = events.collection_id and g.user_id = webhooks.made_by))))`

/** True also if the maker left the organization that the webhook belongs to: it must not fall silent without a word. */
const isMakerGone = `(maker.id is null or maker.suspended_at is not null or (webhooks.account_id <> maker.id
  and not exists (select from members where org_id = webhooks.account_id and user_id = maker.id)))`
const withMaker = 'left join accounts maker on maker.id = webhooks.made_by'

/** True in such a join: the webhook asks for the event. */
const isWanted = `(webhooks.collection_id = events.collection_id
    or (webhooks.collection_id is null and webhooks.account_id = events.account_id))
  and (webhooks.kinds = '{}' or events.kind = any(webhooks.kinds))
  and (webhooks.bumps = '{}' or events.kind <> 'version.made' or events.details->>'bump' = any(webhooks.bumps))`

/**
 * Makes deliveries of the next `most` events for all webhooks that receive them. Webhooks whose maker is gone get them too, so that
 * `claimDeliveries` meets and disables these webhooks. One caller at a time.
 * @returns the number of events looked at
 */
export async function fanOut(tx: Tx, most: number, now: Date): Promise<number> {
  const find = () =>
    tx.query<{ fanned: number; until: number }>(
      `select f.next as fanned, least(n.next, f.next + $1) as until from fan_out f, event_numbers n where f.next < n.next
       for update of f skip locked`,
      [most],
    )
  let [place] = (await find()).rows
  if (place === undefined) {
    const begin = 'insert into fan_out (only_one, next) select true, 1 where not exists (select from fan_out)'
    const { rows } = await tx.query(`${begin} on conflict do nothing returning 1`)
    if (rows.length > 0) [place] = (await find()).rows
  }
  if (place === undefined) return 0
  await tx.query(
    `insert into deliveries (webhook_id, seq, state, attempts, next_at)
     select webhooks.id, events.seq, 'waiting', 0, $3 from events
     join webhooks on webhooks.enabled and events.seq > webhooks.hears_after and ${isWanted} ${withMaker}
     where events.seq >= $1 and events.seq < $2 and (${isHeard} or ${isMakerGone})
     for key share of webhooks, events
     on conflict do nothing`,
    [place.fanned, place.until, now],
  )
  await tx.query('update fan_out set next = $1', [place.until])
  return place.until - place.fanned
}

/**
 * Makes a delivery due again, without the result of its last attempt; one under way writes its own.
 * @param now parameter with the time, such as `$3`
 */
export const dueAgain = (now: string) =>
  `state = 'waiting', attempts = 0, next_at = ${now}, ${['status', 'why', 'milliseconds', 'attempted_at']
    .map((column) => `${column} = case when deliveries.claimed_until > ${now} then deliveries.${column} end`)
    .join(', ')}`

/**
 * Makes deliveries of up to `most` events after a number that a webhook receives, whether it had them or not.
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
     where events.seq > $2 and ${isHeard} order by events.seq limit $3 for key share of webhooks, events
     on conflict (webhook_id, seq) do update set ${dueAgain('$4')}
     returning seq`,
    [webhookId, after, most, now],
  )
  return rows.map(({ seq }) => seq).sort((a, b) => a - b)
}

/** Deliveries of a webhook that wait. Exact only while the webhook is locked. */
export async function countWaiting(tx: Tx, webhookId: string): Promise<number> {
  const { rows } = await tx.query<{ waiting: number }>(
    "select count(*) as waiting from deliveries where webhook_id = $1 and state = 'waiting'",
    [webhookId],
  )
  return rows[0]!.waiting
}

/** Makes a delivery due; a request that is under way counts as the first. Returns false if there is none. */
export async function retryDelivery(tx: Tx, webhookId: string, seq: number, now: Date): Promise<boolean> {
  const { rows } = await tx.query(
    `update deliveries set ${dueAgain('$3')}
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

/** True if a request is due, and no process makes it. Disabled webhooks have none waiting. @param now placeholder of the time */
export const isDeliveryDue = (now: string): string =>
  `exists (select from deliveries where state = 'waiting' and next_at <= ${now} and (claimed_until is null or claimed_until <= ${now}))`

/** Bounds of claims. */
export interface ClaimBounds {
  /** Claims at most. */
  readonly most: number
  /** Requests to one host at the same time, by all servers. */
  readonly perHost: number
  /** Requests for webhooks of one account at the same time, by all servers. */
  readonly perAccount: number
  /** Requests a minute to one host by webhooks on collections of others, and by those whose last request failed. */
  readonly limitedPerMinute: number
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

/*
 * Due deliveries, numbered within host and account. Limited ones beyond the minute's limit are left out before, or they would hold the
 * places of others at their host. At one host accounts take turns, and so they do among all.
 */
const claim = `with busy as (
    select b.host, b.account_id, count(*) as requests from deliveries x join webhooks b on b.id = x.webhook_id
    where x.claimed_until > $1 group by b.host, b.account_id
  ), used as (
    select host, sum(requests) as requests from webhook_requests where minute = $6 group by host
  ), due as (
    select d.*, w.host, w.account_id, not w.proven or c.id is not null as is_limited,
      row_number() over (partition by w.host, w.account_id order by d.next_at, d.seq) as turn
    from webhooks w join lateral (
      select webhook_id, seq, next_at from deliveries
      where webhook_id = w.id and state = 'waiting' and next_at <= $1 and (claimed_until is null or claimed_until <= $1)
      order by next_at, seq limit $3) d on true
    left join collections c on c.id = w.collection_id and c.owner_id <> w.account_id
    where w.enabled
  ), allowed as (
    select due.*, row_number() over (partition by due.host, is_limited order by turn, next_at, seq) as number
    from due
  ), placed as (
    select a.*,
      row_number() over (partition by a.host order by turn, next_at, seq)
        + coalesce((select sum(requests) from busy where busy.host = a.host), 0) as at_host,
      row_number() over (partition by a.account_id order by turn, next_at, seq)
        + coalesce((select sum(requests) from busy where busy.account_id = a.account_id), 0) as of_account
    from allowed a left join used on used.host = a.host
    where not is_limited or number + coalesce(used.requests, 0) <= $5
  ), chosen as (
    select * from placed where at_host <= $3 and of_account <= $7 order by of_account, next_at, seq limit $2
  ), counted as (
    insert into webhook_requests (account_id, host, minute, is_test, requests)
      select account_id, host, $6, false, count(*) from chosen where is_limited group by account_id, host
    on conflict (account_id, host, minute, is_test) do update set requests = webhook_requests.requests + excluded.requests
  )
  update deliveries d set claimed_until = $1::timestamptz + make_interval(secs => $4), attempted_at = $1, attempts = attempts + 1
    from chosen
    where d.webhook_id = chosen.webhook_id and d.seq = chosen.seq and d.state = 'waiting'
      and (d.claimed_until is null or d.claimed_until <= $1)
    returning d.webhook_id as "webhookId", d.seq, d.attempts`

/** Claims due deliveries. */
export async function claimDeliveries(
  tx: Tx,
  { most, perHost, perAccount, limitedPerMinute, leaseSeconds, now }: ClaimBounds,
): Promise<ClaimedDelivery[]> {
  const { rows: claimed } = await tx.query<{ webhookId: string; seq: number; attempts: number }>(claim, [
    ...[now, most, perHost, leaseSeconds, limitedPerMinute, minuteOf(now), perAccount],
  ])
  const found: ClaimedDelivery[] = []
  for (const { webhookId, seq, attempts } of claimed) {
    const webhook = await tx.query<WebhookRow & { isHeard: boolean; isMakerGone: boolean }>(
      `select ${columnsOf(webhooks)}, ${isHeard} as "isHeard", ${isMakerGone} as "isMakerGone"
       from events join webhooks on webhooks.id = $1 ${withMaker} where events.seq = $2`,
      [webhookId, seq],
    )
    const event = await tx.query<EventRow>(`select ${columnsOf(events)} from events where seq = $1`, [seq])
    // Gone meanwhile.
    if (webhook.rows[0] === undefined || event.rows[0] === undefined) continue
    const { isHeard: heard, isMakerGone: gone, ...row } = webhook.rows[0]
    found.push({ webhook: row, event: event.rows[0], attempts, isHeard: heard, isMakerGone: gone })
  }
  return found
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
