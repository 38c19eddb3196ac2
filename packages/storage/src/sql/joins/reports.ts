/** The list of reports with the names of their collections and accounts. */
import type { Queries } from '../../database/database.ts'
import type { AuditSlice } from '../audit/audit-events.ts'
import { type ReportRow, reports } from '../collections/reports.ts'
import { columnsOf, Values } from '../columns/rows.ts'

/** A report in the list of operators. */
export interface ReportItem extends ReportRow {
  owner: string
  slug: string
  isPublic: boolean
  hiddenAt: Date | null
  /** Slugs of the accounts now; null: none. */
  reporter: string | null
  closer: string | null
}

/** Sorts open reports before closed ones in a descending order. */
export const openReportsAt = new Date('9999-12-31T00:00:00.000Z')

/** Open reports first, the newest first; then the last closed first. */
export async function listReports(
  at: Queries,
  { beyond, backwards, limit, offset }: AuditSlice,
): Promise<ReportItem[]> {
  const values = new Values()
  const rank = "coalesce(closed_at, '9999-12-31 00:00:00+00'::timestamptz)"
  const place =
    beyond === undefined
      ? 'true'
      : `(${rank}, reports.id) ${backwards ? '>' : '<'} (${values.of(new Date(beyond.value))}::timestamptz, ${values.of(beyond.id)}::uuid)`
  const towards = backwards ? 'asc' : 'desc'
  const { rows } = await at.query<ReportItem>(
    `select ${columnsOf(reports)}, owner.slug as owner, c.slug, c.public as "isPublic",
       c.hidden_at as "hiddenAt", reporter.slug as reporter, closer.slug as closer
     from reports join collections c on c.id = collection_id join accounts owner on owner.id = c.owner_id
       left join accounts reporter on reporter.id = reporter_id left join accounts closer on closer.id = closed_by
     where ${place} order by ${rank} ${towards}, reports.id ${towards}
     limit ${values.of(limit)} offset ${values.of(offset)}`,
    values.given,
  )
  return rows
}
