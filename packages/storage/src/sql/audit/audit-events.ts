/** Audit log: one row per act, written by the act's transaction, so that no act lacks its row. */
import { and, asc, desc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { instant } from '../columns/columns.ts'

/** Credential of an act, as it was then. */
export interface Means {
  /** Of an API key: its id and its label. */
  readonly key?: { readonly id: string; readonly label: string }
  /** Network address of the request. */
  readonly address?: string
}

/** Without foreign keys: an act outlives its subject and its actor. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: uuid('id').primaryKey(),
    at: instant('at').notNull(),
    /** Owner of the log: the user or organization that the act concerns. */
    accountId: uuid('account_id').notNull(),
    /** Such as `version.made`. */
    action: text('action').notNull(),
    /** Null: the registry itself. */
    actorId: uuid('actor_id'),
    means: jsonb('means').$type<Means>().notNull(),
    /** Subject of the act, by its usual name: `owner/slug@v1.0.0`, a user's slug. */
    target: text('target').notNull(),
    details: jsonb('details').$type<AuditDetails>().notNull(),
  },
  (t) => [index('audit_events_account').on(t.accountId, t.at, t.id), index('audit_events_at').on(t.at, t.id)],
)

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>
export type AuditEventRow = typeof auditEvents.$inferSelect

/** An act, and the slug that its actor has now, or had last; null: an erased person, or the registry itself. */
export interface AuditItem {
  event: AuditEventRow
  actorSlug: string | null
}

export async function insertAuditEvents(tx: Tx, rows: readonly AuditEventRow[]): Promise<void> {
  if (rows.length > 0) await tx.orm.insert(auditEvents).values([...rows])
}

/** Forgets what the readers of a version were warned of, in every log, under whichever path the version had then. */
export async function forgetAuditMessages(
  tx: Tx,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<void> {
  await tx.query(
    `update audit_events set details = details - 'message'
     where at >= $2 and action = 'version.deprecated' and details->>'version' = $1`,
    [id, createdAt.toISOString()],
  )
}

export interface AuditSlice {
  limit: number
  offset: number
  /** Only events older than this position, or, with `backwards`, newer ones, oldest first. */
  beyond?: { value: string | Date; id: string }
  backwards: boolean
}

/** Undefined: any. */
export interface AuditFilter {
  /** In whose log. */
  accountId?: string
  actorId?: string
  action?: string
  /** Later than this. */
  after?: Date
}

/** The newest first. */
export async function listAuditEvents(
  at: Queries,
  { accountId, actorId, action, after }: AuditFilter,
  { beyond, backwards, limit, offset }: AuditSlice,
): Promise<AuditItem[]> {
  const order = backwards ? asc : desc
  return at.orm
    .select({ event: auditEvents, actorSlug: actorSlug() })
    .from(auditEvents)
    .leftJoin(accounts, eq(accounts.id, auditEvents.actorId))
    .where(
      and(
        accountId === undefined ? undefined : eq(auditEvents.accountId, accountId),
        actorId === undefined ? undefined : eq(auditEvents.actorId, actorId),
        action === undefined ? undefined : eq(auditEvents.action, action),
        after === undefined ? undefined : gt(auditEvents.at, after),
        beyond === undefined ? undefined : isBeyond(beyond, backwards),
      ),
    )
    .orderBy(order(auditEvents.at), order(auditEvents.id))
    .limit(limit)
    .offset(offset)
}

/** An account that its owner deleted keeps its name in the log. */
const actorSlug = () =>
  sql<string | null>`coalesce(${accounts.slug}, (select former.slug from former_account_slugs former
    where former.account_id = ${auditEvents.actorId} order by former.since desc limit 1))`

function isBeyond({ value, id }: { value: string | Date; id: string }, backwards: boolean): SQL {
  const place = sql`(${new Date(value).toISOString()}::timestamptz, ${id}::uuid)`
  return sql`(${auditEvents.at}, ${auditEvents.id}) ${sql.raw(backwards ? '>' : '<')} ${place}`
}
