/**
 * Table of the audit log: one row per action, written by the action's transaction, so that no action lacks its row. Rows change only to
 * erase personal data and texts of versions.
 */
import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { instant } from '../columns/columns.ts'
import { columnsOf, insertInto, Values } from '../columns/rows.ts'
import type { Workload } from '../columns/workload.ts'

/** Credential of an action, as of its time. */
export interface Means {
  /** Id and label of the API key. */
  readonly key?: { readonly id: string; readonly label: string }
  /** The job that the key was made for, if a trusted publisher's. */
  readonly workload?: Workload
  /** Network address of the request. */
  readonly address?: string
}

/** Without foreign keys: an entry outlives its subject and its actor. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: uuid('id').primaryKey(),
    at: instant('at').notNull(),
    /** Owner of the log: the user or organization that the action concerns. */
    accountId: uuid('account_id').notNull(),
    /** Such as `version.made`. */
    action: text('action').notNull(),
    /** Null: the registry itself. */
    actorId: uuid('actor_id'),
    means: jsonb('means').$type<Means>().notNull(),
    /** Subject of the action, by its usual name: `owner/slug@v1.0.0`, a user's slug. */
    target: text('target').notNull(),
    details: jsonb('details').$type<AuditDetails>().notNull(),
  },
  (t) => [
    index('audit_events_account').on(t.accountId, t.at, t.id),
    index('audit_events_actor').on(t.actorId, t.at, t.id).where(sql`${t.actorId} is not null`),
    index('audit_events_at').on(t.at, t.id),
  ],
)

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>
export type AuditEventRow = typeof auditEvents.$inferSelect

/** An entry, and the slug that its actor has now, or had last; null: an erased person, or the registry itself. */
export interface AuditItem {
  event: AuditEventRow
  actorSlug: string | null
}

export async function insertAuditEvents(tx: Tx, rows: readonly AuditEventRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(...insertInto(auditEvents, rows))
}

/** Removes a version's deprecation messages from every log, whatever path the version had at the time. */
export async function forgetAuditMessages(
  tx: Tx,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<void> {
  await tx.query(
    `update audit_events set details = details - 'message'
     where at >= $2 and action = 'version.deprecated' and details->>'version' = $1`,
    [id, createdAt],
  )
}

/** Page of the log. */
export interface AuditSlice {
  limit: number
  offset: number
  /** Only events older than this position, or, with `backwards`, newer ones, oldest first. */
  beyond?: { value: string | Date; id: string }
  backwards: boolean
}

/** Filter of the log; an undefined member matches all. */
export interface AuditFilter {
  /** Owner of the log. */
  accountId?: string
  actorId?: string
  action?: string
  /** Later than this. */
  after?: Date
}

/** @param account its id, in SQL */
export const suspensionReasonText = (account: string): string =>
  `select details->>'reason' from audit_events where account_id = ${account} and action = 'account.suspended'
   order by at desc, id desc limit 1`

/** Reason of the operator who suspended an account last; null: none was given, or its entry is too old to be kept. */
export async function suspensionReason(at: Queries, accountId: string): Promise<string | null> {
  const { rows } = await at.query<{ reason: string | null }>(
    `select (${suspensionReasonText('$1')}) as reason`,
    [accountId],
  )
  return rows[0]?.reason ?? null
}

/** Newest first, unless `backwards`. */
export async function listAuditEvents(
  at: Queries,
  { accountId, actorId, action, after }: AuditFilter,
  { beyond, backwards, limit, offset }: AuditSlice,
): Promise<AuditItem[]> {
  const values = new Values()
  const where = ['true']
  if (accountId !== undefined) where.push(`account_id = ${values.of(accountId)}`)
  if (actorId !== undefined) where.push(`actor_id = ${values.of(actorId)}`)
  if (action !== undefined) where.push(`action = ${values.of(action)}`)
  if (after !== undefined) where.push(`at > ${values.of(after)}`)
  if (beyond !== undefined) {
    const place = `(${values.of(new Date(beyond.value))}::timestamptz, ${values.of(beyond.id)}::uuid)`
    where.push(`(at, audit_events.id) ${backwards ? '>' : '<'} ${place}`)
  }
  const towards = backwards ? 'asc' : 'desc'
  // The actor of a deleted account keeps its last slug in the log.
  const { rows } = await at.query<AuditEventRow & { actorSlug: string | null }>(
    `select ${columnsOf(auditEvents)}, coalesce(slug, (select former.slug from former_account_slugs former
        where former.account_id = actor_id order by former.since desc limit 1)) as "actorSlug"
     from audit_events left join accounts on accounts.id = actor_id where ${where.join(' and ')}
     order by at ${towards}, audit_events.id ${towards} limit ${values.of(limit)} offset ${values.of(offset)}`,
    values.given,
  )
  return rows.map(({ actorSlug, ...event }) => ({ event, actorSlug }))
}
