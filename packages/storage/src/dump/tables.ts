/**
 * Tables in a dump: all except caches, events with their deliveries, running servers, and the request counts of a minute.
 */
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type { Queries } from '../database/database.ts'
import { requestCounts } from '../sql/access/request-counts.ts'
import { deliveries } from '../sql/events/deliveries.ts'
import { events } from '../sql/events/events.ts'
import { webhookRequests } from '../sql/events/webhooks.ts'
import * as schema from '../sql/schema.ts'
import { servers } from '../sql/upkeep/servers.ts'
import { renderedReadmes } from '../sql/versions/rendered-readmes.ts'

/** Tables that are not dumped: caches, running servers, and events, some of which a restore undoes. */
const passing: readonly unknown[] = [
  requestCounts,
  webhookRequests,
  renderedReadmes,
  events,
  deliveries,
  servers,
]

/** A table in a dump. The dump names its columns, so that their order may change between releases. */
export interface DumpedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** Orders tables so that referenced ones come first and rows can be inserted in this order. */
export function dumpedTables(): DumpedTable[] {
  const exported: unknown[] = Object.values(schema)
  const tables = exported.filter((value): value is PgTable => is(value, PgTable) && !passing.includes(value))
  const ordered = new Set<PgTable>()
  const visit = (table: PgTable, way: readonly PgTable[]): void => {
    if (ordered.has(table)) return
    if (way.includes(table)) throw new Error('Foreign keys go round in a circle: no order of tables serves.')
    for (const key of getTableConfig(table).foreignKeys) {
      const { foreignTable } = key.reference()
      if (foreignTable !== table) visit(foreignTable, [...way, table])
    }
    ordered.add(table)
  }
  for (const table of tables) visit(table, [])
  return [...ordered].map((table) => {
    const { name, columns } = getTableConfig(table)
    const stored = columns.filter(({ generated }) => generated === undefined)
    return { name, columns: stored.map((column) => column.name) }
  })
}

/** True if our tables have no rows; the database may have the tables of an older release. */
export async function holdsNoRows(at: Queries): Promise<boolean> {
  for (const { name } of dumpedTables()) {
    const { rows: there } = await at.query('select to_regclass($1) is not null as there', [`public.${name}`])
    if (there[0]?.['there'] !== true) continue
    const { rows } = await at.query(`select exists (select from ${quoted(name)}) as found`)
    if (rows[0]?.['found'] === true) return false
  }
  return true
}

/** Quotes any name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
