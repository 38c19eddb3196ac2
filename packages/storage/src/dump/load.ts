/**
 * Loads a dump into a database that has the tables but no rows; the caller has migrated it to the dump's last migration. In the caller's
 * transaction, so a failed load leaves it empty.
 */
import type { Tx } from '../database/database.ts'
import { type DumpedRow, type DumpedRows, DumpUnreadableError } from './read.ts'
import { quoted } from './tables.ts'

/** More events than a registry makes between a backup and its restore. */
const numbersSkipped = 1_000_000_000

/**
 * Inserts every row and moves the sequences past them. Returns the number of rows by table.
 * @throws DumpUnreadableError for a table or column that this database lacks
 */
export async function loadDump(tx: Tx, dump: AsyncIterable<DumpedRows>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  // Rows of a backup are no changes: sql/events/events.sql.
  await tx.query(`select set_config('ulmus.loading', 'on', true)`)
  let at: { table: string; insert: string } | undefined
  for await (const { table, columns, rows } of dump) {
    if (at?.table !== table) {
      at = { table, insert: await insertionInto(tx, table, columns) }
      counts[table] = 0
    }
    counts[table]! += rows.length
    if (rows.length > 0) await tx.query(at.insert, columnsOf(rows, columns.length))
  }
  await continueSequences(tx)
  // Programs that ask for events after a number from before are refused, rather than missing what the restore undid.
  await tx.query('update event_numbers set next = next + $1', [numbersSkipped])
  await tx.query('update fan_out set next = coalesce((select next from event_numbers), 1)')
  return counts
}

/** Values by column: each column is passed as one array parameter, whatever the number of rows. */
const columnsOf = (rows: readonly DumpedRow[], columns: number): (string | null)[][] =>
  Array.from({ length: columns }, (_, index) => rows.map((row) => row[index] ?? null))

async function insertionInto(tx: Tx, table: string, columns: readonly string[]): Promise<string> {
  const { rows } = await tx.query(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [`public.${quoted(table)}`],
  )
  const types = new Map(rows.map((row) => [String(row['name']), String(row['type'])]))
  const lost = columns.find((column) => !types.has(column))
  if (lost !== undefined)
    throw new DumpUnreadableError(`The dump has ${table}.${lost}, which the release that made it has not.`)
  const values = columns.map((column, index) => `c${index}::${types.get(column)!}`)
  return `insert into ${quoted(table)} (${columns.map(quoted).join(', ')}) overriding system value
     select ${values.join(', ')}
     from unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')})
       as dumped (${columns.map((_, index) => `c${index}`).join(', ')})`
}

/** Moves every sequence that fills a column past the column's greatest value. */
async function continueSequences(tx: Tx): Promise<void> {
  const { rows } = await tx.query(
    `select c.relname as table, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
       and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null`,
  )
  for (const row of rows) {
    const [table, column] = [quoted(String(row['table'])), quoted(String(row['column']))]
    await tx.query(
      `select setval($1::text::regclass, max(${column})) from ${table} having max(${column}) is not null`,
      [row['sequence']],
    )
  }
}
