/** Table of webhooks, and its statements. */
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { bytes, count, instant } from '../columns/columns.ts'
import { columnsOf, insertInto, updateById, Values } from '../columns/rows.ts'

export const webhooks = pgTable(
  'webhooks',
  {
    id: uuid('id').primaryKey(),
    /** Owner of the webhook, whose admins may change it. */
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Null: all collections of the account. Not a foreign key: the webhook still hears that the collection was deleted. */
    collectionId: uuid('collection_id'),
    url: text('url').notNull(),
    /** Host and port of `url`, without a dot at the end, by which requests are limited. */
    host: text('host').notNull(),
    label: text('label').notNull(),
    /** Empty: all. */
    kinds: text('kinds').array().notNull(),
    /** Empty: all. */
    bumps: text('bumps').array().notNull(),
    /** Encrypted (packages/registry/src/secrets). */
    secret: bytes('secret').notNull(),
    /** Secrets that still sign, as encrypted JSON. */
    formerSecrets: bytes('former_secrets'),
    enabled: boolean('enabled').notNull().default(true),
    disabledWhy: text('disabled_why', { enum: ['gone', 'failing', 'maker_gone', 'behind'] }),
    /** When requests began to fail. Null: the last one succeeded. */
    failingSince: instant('failing_since'),
    /** True once a request to this address succeeded; false again when one fails. Others are limited by the minute. */
    proven: boolean('proven').notNull().default(false),
    /** The user whose rights decide what the webhook hears. */
    madeBy: uuid('made_by').references(() => accounts.id, { onDelete: 'set null' }),
    createdAt: instant('created_at').notNull(),
    testedAt: instant('tested_at'),
    /** It receives events after this one: the last of those before it was made, or switched on again. */
    hearsAfter: count('hears_after').notNull().default(0),
  },
  (t) => [
    index('webhooks_account').on(t.accountId),
    index('webhooks_collection').on(t.collectionId),
    index('webhooks_made_by').on(t.madeBy),
    index('webhooks_host').on(t.host),
    check('webhooks_enabled', sql`not (${t.enabled} and ${t.disabledWhy} is not null)`),
  ],
)
export type WebhookRow = typeof webhooks.$inferSelect

/** A webhook with the names in an answer. */
export interface WebhookItem {
  readonly webhook: WebhookRow
  readonly account: string
  /** Null: the viewer may not see the collection now, or it is gone. */
  readonly place: { readonly owner: string; readonly slug: string } | null
  readonly madeBy: string | null
}

/**
 * Webhooks of an account, of a collection, or one by its id; the oldest first.
 * @param viewerId the user whose rights decide whether a collection is named
 */
export async function listWebhooks(
  at: Queries,
  viewerId: string,
  {
    id,
    accountIds,
    collectionId,
  }: { id?: string; accountIds?: readonly string[]; collectionId?: string | undefined },
): Promise<WebhookItem[]> {
  const values = new Values(viewerId)
  const where = ['true']
  if (id !== undefined) where.push(`w.id = ${values.of(id)}`)
  if (accountIds !== undefined) where.push(`w."accountId" = any(${values.of(accountIds)}::uuid[])`)
  if (collectionId !== undefined) where.push(`w."collectionId" = ${values.of(collectionId)}`)
  const { rows } = await at.query<WebhookRow & Record<'account' | 'maker' | 'owner' | 'slug', string | null>>(
    `select w.*, a.slug as account, m.slug as maker, o.slug as owner, c.slug
     from (select ${columnsOf(webhooks)} from webhooks) w
     join accounts a on a.id = w."accountId" left join accounts m on m.id = w."madeBy"
     left join collections c on c.id = w."collectionId" and (c.public or c.owner_id = $1
       or exists (select from members where org_id = c.owner_id and user_id = $1)
       or exists (select from collaborators g where g.collection_id = c.id and g.user_id = $1))
     left join accounts o on o.id = c.owner_id
     where ${where.join(' and ')} order by w."createdAt", w.id`,
    values.given,
  )
  return rows.map(({ account, maker, owner, slug, ...webhook }) => ({
    webhook,
    account: account!,
    place: owner === null || slug === null ? null : { owner, slug },
    madeBy: maker,
  }))
}

/** Reads a webhook and locks it until the transaction ends. */
export async function lockWebhook(tx: Tx, id: string): Promise<WebhookRow | undefined> {
  const { rows } = await tx.query<WebhookRow>(
    `select ${columnsOf(webhooks)} from webhooks where id = $1 for update`,
    [id],
  )
  return rows[0]
}

/** Webhooks of an account, in all and of one collection (or, for null, of all its collections). Exact only while the account is locked. */
export async function countWebhooks(
  tx: Tx,
  accountId: string,
  collectionId: string | null,
): Promise<{ all: number; here: number }> {
  const { rows } = await tx.query<{ all: number; here: number }>(
    `select count(*) as all, count(*) filter (where collection_id is not distinct from $2::uuid) as here
     from webhooks where account_id = $1`,
    [accountId, collectionId],
  )
  return rows[0]!
}

export async function insertWebhook(tx: Tx, row: WebhookRow): Promise<void> {
  await tx.query(...insertInto(webhooks, row))
}

export async function updateWebhook(tx: Tx, id: string, changes: Partial<WebhookRow>): Promise<void> {
  await updateById(tx, webhooks, id, changes)
}

export async function deleteWebhook(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from webhooks where id = $1 returning 1', [id])).rows.length > 0
}

/** Disables a webhook. Deliveries that wait count as failed. Returns false if it was disabled before. */
export async function disableWebhook(tx: Tx, id: string, why: WebhookRow['disabledWhy']): Promise<boolean> {
  const { rows } = await tx.query(
    'update webhooks set enabled = false, disabled_why = $2 where id = $1 and enabled returning 1',
    [id, why],
  )
  await tx.query(
    `update deliveries set state = 'failed', next_at = null, claimed_until = null where webhook_id = $1 and state = 'waiting'`,
    [id],
  )
  return rows.length > 0
}

/** Deletes webhooks of collections that are gone, once the deletion was sent to them. Returns their number. */
export async function dropOrphanedWebhooks(tx: Tx, max: number): Promise<number> {
  const { rows } = await tx.query(
    `delete from webhooks where id in (
       select w.id from webhooks w where w.collection_id is not null
         and not exists (select from collections where id = w.collection_id)
         and not exists (select from outbox where collection_id = w.collection_id)
         and not exists (select from events where collection_id = w.collection_id and seq >= coalesce((select next from fan_out), 1))
         and not exists (select from deliveries where webhook_id = w.id and state = 'waiting') limit $1) returning 1`,
    [max],
  )
  return rows.length
}

/** Encrypted secrets, to encrypt them with another key: webhooks after an id, in its order. */
export async function listSealed(
  tx: Tx,
  after: string,
  limit: number,
): Promise<Pick<WebhookRow, 'id' | 'secret' | 'formerSecrets'>[]> {
  const { rows } = await tx.query<Pick<WebhookRow, 'id' | 'secret' | 'formerSecrets'>>(
    `select id, secret, former_secrets as "formerSecrets" from webhooks where id > $1 order by id limit $2 for update`,
    [after, limit],
  )
  return rows
}

/** Requests of each minute that are limited: tests, and requests that the receiver may not want. */
export const webhookRequests = pgTable(
  'webhook_requests',
  {
    accountId: uuid('account_id').notNull(),
    host: text('host').notNull(),
    /** Begin of the minute. */
    minute: instant('minute').notNull(),
    isTest: boolean('is_test').notNull(),
    requests: integer('requests').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.host, t.minute, t.isTest] }),
    index('webhook_requests_host').on(t.host, t.minute),
  ],
)

/** Begin of the minute in which requests are counted. */
export const minuteOf = (now: Date) => new Date(Math.floor(now.getTime() / 60_000) * 60_000)

/** Counts a test of an account. @returns its tests in this minute, with this one: to the host, and to all hosts */
export async function countTest(
  tx: Tx,
  { accountId, host, now }: { accountId: string; host: string; now: Date },
): Promise<{ toHost: number; toAll: number }> {
  await tx.query(
    `insert into webhook_requests (account_id, host, minute, is_test, requests) values ($1, $2, $3, true, 1)
     on conflict (account_id, host, minute, is_test) do update set requests = webhook_requests.requests + 1`,
    [accountId, host, minuteOf(now)],
  )
  const { rows } = await tx.query<{ toHost: number; toAll: number }>(
    `select coalesce(sum(requests) filter (where host = $2), 0)::int as "toHost", coalesce(sum(requests), 0)::int as "toAll"
     from webhook_requests where account_id = $1 and minute = $3 and is_test`,
    [accountId, host, minuteOf(now)],
  )
  return rows[0]!
}

export async function dropWebhookRequests(tx: Tx, before: Date): Promise<void> {
  await tx.query('delete from webhook_requests where minute < $1', [before])
}

/** Disables webhooks for which more than `most` events wait. @returns them */
export async function disableBehind(tx: Tx, most: number): Promise<WebhookRow[]> {
  const { rows } = await tx.query<WebhookRow>(
    `select ${columnsOf(webhooks)} from webhooks where enabled
       and (select count(*) from (select from deliveries where webhook_id = webhooks.id and state = 'waiting' limit $1 + 1) d) > $1`,
    [most],
  )
  for (const { id } of rows) await disableWebhook(tx, id, 'behind')
  return rows
}
