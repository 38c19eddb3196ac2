/**
 * Failed background work of all queues, for operators, and statements that make it due again. Some of them read a row for each delivery and
 * version: call them rarely.
 */
import type { Queries, Tx } from '../../database/database.ts'
import { type DeliveryRow, dueAgain } from '../events/deliveries.ts'
import type { WebhookRow } from '../events/webhooks.ts'
import type { MailRow } from '../mails/mails.ts'

/** Deliveries of a webhook that failed for good, or wait after a failure. */
export interface FailedDeliveries
  extends Pick<WebhookRow, 'id' | 'host' | 'enabled' | 'disabledWhy'>,
    Pick<DeliveryRow, 'status'> {
  readonly account: string
  readonly deliveries: number
  /** Result of the last attempt; null: there was none. */
  readonly at: Date | null
  readonly why: string | null
  /** Null: all failed for good. */
  readonly nextAt: Date | null
}

/** A delivery that failed, or failed and waits. Those that wait for their first attempt have no result. */
const isFailedDelivery = "(state = 'failed' or (state = 'waiting' and attempts > 0 and why is not null))"

export async function listFailedDeliveries(at: Queries, limit: number): Promise<FailedDeliveries[]> {
  const { rows } = await at.query<FailedDeliveries>(
    `select w.id, w.host, w.enabled, w.disabled_why as "disabledWhy", a.slug as account, f.deliveries,
       f.attempted_at as at, f.status, f.why, f.next_at as "nextAt"
     from (
       select distinct on (webhook_id) webhook_id, attempted_at, status, why,
         count(*) over (partition by webhook_id) as deliveries,
         min(next_at) over (partition by webhook_id) as next_at
       from deliveries where ${isFailedDelivery} order by webhook_id, attempted_at desc nulls last, seq desc) f
     join webhooks w on w.id = f.webhook_id join accounts a on a.id = w.account_id
     order by f.attempted_at desc nulls last, w.id limit $1`,
    [limit],
  )
  return rows
}

/** A push or a metadata update that the server could not complete. */
export interface FailedWrite {
  readonly id: string
  readonly queue: 'commit' | 'metadata'
  readonly owner: string
  readonly slug: string
  /** Begin of the push or the update. */
  readonly at: Date
  readonly error: string | null
}

/** The latest ones whose error has one of these codes. Ended rows go after some days. */
export async function listFailedWrites(
  at: Queries,
  codes: readonly string[],
  limit: number,
): Promise<FailedWrite[]> {
  const { rows } = await at.query<FailedWrite>(
    `select failed.id, failed.queue, a.slug as owner, c.slug, failed.at, failed.error
     from (
       (select id, 'commit' as queue, collection_id, created_at as at, error->>'error' as error from pushes
        where status in ('open', 'failed') and error->>'code' = any($1) order by created_at desc limit $2)
       union all
       (select id, 'metadata', collection_id, started_at, error->>'error' from metadata_jobs
        where status = 'failed' and error->>'code' = any($1) order by started_at desc limit $2)) failed
     join collections c on c.id = failed.collection_id join accounts a on a.id = c.owner_id
     order by failed.at desc, failed.id limit $2`,
    [codes, limit],
  )
  return rows
}

/** The removal of a deleted collection’s remains that failed, and waits for its next attempt. */
export interface FailedDeletion {
  readonly id: string
  readonly at: Date
  readonly attempts: number
  readonly error: string | null
  readonly nextAt: Date | null
}

export async function listFailedDeletions(at: Queries, limit: number): Promise<FailedDeletion[]> {
  const { rows } = await at.query<FailedDeletion>(
    `select id, deleted_at as at, attempts, last_error as error, lease_until as "nextAt" from deletions
     where last_error is not null order by deleted_at desc, id limit $1`,
    [limit],
  )
  return rows
}

/** A version whose comparison with the one before ended its process, or failed, several times. */
export interface FailedStrip {
  readonly id: string
  readonly owner: string
  readonly slug: string
  readonly at: Date
  readonly attempts: number
}

/** @param attemptsMin processes that took the row */
export async function listFailedStrips(
  at: Queries,
  attemptsMin: number,
  limit: number,
): Promise<FailedStrip[]> {
  const { rows } = await at.query<FailedStrip>(
    `select v.id, a.slug as owner, c.slug, v.created_at as at, s.attempts
     from version_strips s join versions v on v.id = s.version_id
     join collections c on c.id = v.collection_id join accounts a on a.id = c.owner_id
     where s.attempts >= $1 order by v.id desc limit $2`,
    [attemptsMin, limit],
  )
  return rows
}

/** A mail that was refused or could not be sent, or waits after a failure; without its address. */
export interface FailedMail {
  readonly id: string
  readonly kind: MailRow['kind']
  /** Slug of the reader; null: the mail is for an address, or for the operators. */
  readonly account: string | null
  readonly at: Date
  readonly attempts: number
  readonly error: string | null
  /** Null: it is not tried again. */
  readonly nextAt: Date | null
}

const isFailedMail = "(state = 'failed' or (state = 'waiting' and attempts > 0))"

export async function listFailedMails(at: Queries, limit: number): Promise<FailedMail[]> {
  const { rows } = await at.query<FailedMail>(
    `select mails.id, kind, a.slug as account, mails.created_at as at, attempts, error,
       case when state = 'waiting' then next_at end as "nextAt"
     from mails left join accounts a on a.id = mails.account_id
     where ${isFailedMail} order by mails.created_at desc, mails.id limit $1`,
    [limit],
  )
  return rows
}

/** Makes a mail due that failed, or waits after a failure. */
export async function retryMail(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rows } = await tx.query(
    `update mails set state = 'waiting', attempts = 0, next_at = $2 where id = $1 and ${isFailedMail} returning id`,
    [id, now],
  )
  return rows.length === 1
}

/** Slugs of accounts by their ids. */
export async function accountSlugs(at: Queries, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await at.query<{ id: string; slug: string }>(
    'select id, slug from accounts where id = any($1::uuid[])',
    [ids],
  )
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}

/**
 * Makes the newest deliveries of an enabled webhook due that failed, or wait after a failure. A disabled one must be enabled by its owner first.
 * @returns their number
 */
export async function retryFailedDeliveries(
  tx: Tx,
  webhookId: string,
  { most, now }: { most: number; now: Date },
): Promise<number> {
  const { rows } = await tx.query(
    `update deliveries set ${dueAgain('$3')}
     where webhook_id = $1 and seq in (
       select seq from deliveries where webhook_id = $1 and ${isFailedDelivery} order by seq desc limit $2)
       and exists (select from webhooks where id = $1 and enabled)
     returning seq`,
    [webhookId, most, now],
  )
  return rows.length
}

/** Ends the pause after a failure. */
export async function retryDeletion(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await tx.query(
    'update deletions set lease_until = null where id = $1 and last_error is not null returning id',
    [id],
  )
  return rows.length === 1
}

/** Computes the comparison of a version again; readers keep the last result meanwhile. */
export async function retryStrip(tx: Tx, versionId: string, attemptsMin: number): Promise<boolean> {
  const { rows } = await tx.query(
    `update version_strips set full_shares = null, attempts = 0, lease_until = null
     where version_id = $1 and attempts >= $2 returning version_id`,
    [versionId, attemptsMin],
  )
  return rows.length === 1
}

/** Makes a periodic task due whose last run failed. */
export async function retryPeriodicTask(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await tx.query(
    `update periodic_tasks set begun_at = 'epoch' where name = $1 and succeeded = false returning name`,
    [name],
  )
  return rows.length === 1
}
