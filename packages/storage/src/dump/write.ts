/**
 * Writes a dump of the database: every row of ours as of one moment, in a file that either kind of database can load (docs/formats.md).
 * Values are in PostgreSQL's own text form, which preserves every type.
 */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import type { Database, Tx } from '../database/database.ts'
import { migrationTimes } from '../database/migrate.ts'
import { DatabaseUnfitError } from '../database/sql-errors.ts'
import { type DumpedTable, dumpedTables, quoted } from './tables.ts'

/** Version of the format, which readers compare. A change makes older backups unreadable unless read.ts accepts both. */
export const dumpFormat = 1
/** Bounds for the result of one statement, since rows vary in size. Characters. */
const [charactersFew, charactersMany] = [262_144, 2_097_152]
/** Maximum number of rows in the result of one statement. */
const rowsAtOnceMax = 4_096

/**
 * Writes a dump to a new file. On a server, other sessions continue meanwhile; the embedded database has a single session, so all
 * requests wait until the last row is read.
 */
export async function writeDump(database: Database, path: string): Promise<void> {
  const compressed = createZstdCompress()
  const written = pipeline(compressed, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  // A failure is reported below; a broken stream also fails the writes.
  written.catch(() => undefined)
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      compressed.write(text, (error) => (error ? reject(error) : resolve()))
    })
  try {
    await database.transact(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only')
      // The consumer of the rows may be slow.
      await tx.query('set local idle_in_transaction_session_timeout = 0')
      await dumpInto(tx, write)
    })
    compressed.end()
    await written
  } catch (error) {
    compressed.destroy(error as Error)
    await written.catch(() => undefined)
    throw error
  }
}

async function dumpInto(tx: Tx, write: (text: string) => Promise<void>): Promise<void> {
  // Each value's text must be independent of this database's settings.
  await tx.query(
    "set local datestyle = iso; set local intervalstyle = postgres; set local timezone = 'UTC'; set local bytea_output = hex; set local extra_float_digits = 3",
  )
  const { rows } = await tx.query(
    'select max(created_at)::double precision as migration from drizzle.__drizzle_migrations',
  )
  const migration = Number(rows[0]!['migration'])
  if (migration > migrationTimes().at(-1)!)
    throw new DatabaseUnfitError(
      'A newer release has migrated the database: this program does not know all of its tables, so its backup would not be whole. Back up with the newer release.',
    )
  await write(line({ format: dumpFormat, migration }))
  for (const table of dumpedTables()) {
    await write(line({ table: table.name, columns: table.columns }))
    await write(line({ rows: await dumpRows(tx, table, write) }))
  }
  await write(line({ end: true }))
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

/** Returns the number of rows. */
async function dumpRows(
  tx: Tx,
  { name, columns }: DumpedTable,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const values = columns.map((column) => `${quoted(column)}::text`).join(', ')
  await tx.query(
    `declare dumped no scroll cursor for select json_build_array(${values})::text as row from ${quoted(name)}`,
  )
  let count = 0
  for (let atOnce = 16; ; ) {
    const { rows } = await tx.query(`fetch ${atOnce} from dumped`)
    if (rows.length === 0) break
    count += rows.length
    const text = rows.map((row) => `${String(row['row'])}\n`).join('')
    await write(text)
    if (text.length < charactersFew) atOnce = Math.min(atOnce * 2, rowsAtOnceMax)
    else if (text.length > charactersMany) atOnce = Math.max(atOnce >> 2, 1)
  }
  await tx.query('close dumped')
  return count
}
