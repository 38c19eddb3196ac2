/** Table of reports: what readers tell the operators about a collection. */
import { sql } from 'drizzle-orm'
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { accounts } from '../accounts/accounts.ts'
import { instant } from '../columns/columns.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
import { collections } from './collections.ts'

/** The names are public and stored. */
export const reportReasons = ['illegal', 'personal_data', 'copyright', 'harmful', 'spam', 'other'] as const
export const reportOutcomes = ['dismissed', 'acted'] as const

export const reports = pgTable(
  'reports',
  {
    id: uuid('id').primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    reason: text('reason', { enum: reportReasons }).notNull(),
    text: text('text').notNull(),
    /** How the operators can answer, in the reporter's words. */
    contact: text('contact'),
    /** Null: the reporter was not signed in, or its account is deleted. */
    reporterId: uuid('reporter_id').references(() => accounts.id, { onDelete: 'set null' }),
    /** Network of a reporter who was not signed in, until the report is closed. */
    network: text('network'),
    createdAt: instant('created_at').notNull(),
    /** Null: open. */
    closedAt: instant('closed_at'),
    outcome: text('outcome', { enum: reportOutcomes }),
    note: text('note'),
    closedBy: uuid('closed_by').references(() => accounts.id, { onDelete: 'set null' }),
  },
  (t) => [
    uniqueIndex('reports_open')
      .on(t.collectionId, sql`coalesce(${t.reporterId}::text, ${t.network})`)
      .where(sql`${t.closedAt} is null`),
    index('reports_order').on(sql`coalesce(${t.closedAt}, '9999-12-31 00:00:00+00'::timestamptz)`, t.id),
    index('reports_collection').on(t.collectionId),
    index('reports_reporter').on(t.reporterId),
    index('reports_closed_by').on(t.closedBy),
    check(
      'reports_reason',
      sql`${t.reason} in ('illegal', 'personal_data', 'copyright', 'harmful', 'spam', 'other')`,
    ),
    check('reports_outcome', sql`${t.outcome} in ('dismissed', 'acted')`),
    check('reports_closed', sql`(${t.closedAt} is null) = (${t.outcome} is null)`),
  ],
)

export type ReportRow = typeof reports.$inferSelect

/** Columns of a report that is open. */
export const unclosed = { closedAt: null, outcome: null, note: null, closedBy: null } as const

/** Number of open reports about a collection. */
export async function countReportsAbout(at: Queries, collectionId: string): Promise<number> {
  const { rows } = await at.query<{ count: number }>(
    'select count(*) as count from reports where collection_id = $1 and closed_at is null',
    [collectionId],
  )
  return rows[0]!.count
}

/** @returns false if an open report by the same reporter about the collection exists, which stays as it is */
export async function insertReport(tx: Tx, row: ReportRow): Promise<boolean> {
  const { rows } = await tx.query(...insertInto(reports, row, 'on conflict do nothing returning 1'))
  return rows.length > 0
}

/** Locks a report until the transaction ends. */
export async function lockReport(tx: Tx, id: string): Promise<ReportRow | undefined> {
  const { rows } = await tx.query<ReportRow>(
    `select ${columnsOf(reports)} from reports where id = $1 for update`,
    [id],
  )
  return rows[0]
}

/** Closes a report, and forgets the network that it came from. */
export async function closeReport(
  tx: Tx,
  {
    id,
    at,
    outcome,
    note,
    by,
  }: Pick<ReportRow, 'id' | 'note'> & {
    at: Date
    outcome: (typeof reportOutcomes)[number]
    by: string
  },
): Promise<void> {
  await tx.query(
    'update reports set closed_at = $2, outcome = $3, note = $4, closed_by = $5, network = null where id = $1',
    [id, at, outcome, note, by],
  )
}

/** Open reports in the registry. */
export async function countOpenReports(at: Queries): Promise<number> {
  const { rows } = await at.query<{ count: number }>(
    'select count(*) as count from reports where closed_at is null',
  )
  return rows[0]!.count
}

/** Drops up to `max` reports that were closed before an instant. Returns their number. */
export async function dropClosedReports(tx: Tx, before: Date, max: number): Promise<number> {
  const { rows } = await tx.query(
    'delete from reports where id in (select id from reports where closed_at < $1 limit $2) returning 1',
    [before, max],
  )
  return rows.length
}
