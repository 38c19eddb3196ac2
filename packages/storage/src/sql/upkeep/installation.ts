/**
 * Identity of the installation that the database belongs to: one row, created at the first start together with a blob in the object store.
 * A server compares both at each start, and refuses stores of different installations: a sweep would remove all blobs.
 */
import { sql } from 'drizzle-orm'
import { boolean, check, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'

export const installation = pgTable(
  'installation',
  {
    /** Always true, so that there is one row. */
    only: boolean('only').primaryKey().default(true),
    id: uuid('id').notNull(),
    /** Place and time of a move of this database, which must not be served any more; null: it was not moved. */
    movedTo: text('moved_to'),
  },
  (t) => [check('installation_only', sql`${t.only}`)],
)

/** Undefined in a new database. */
export async function findInstallation(at: Queries): Promise<string | undefined> {
  const { rows } = await at.query<{ id: string }>('select id from installation')
  return rows[0]?.id
}

/** Gives the database an id, unless it has one: several servers may start at the same time. */
export async function insertInstallation(tx: Tx, id: string): Promise<void> {
  await tx.query('insert into installation (id) values ($1) on conflict do nothing', [id])
}

/** Undefined if the database was not moved, or is new. */
export async function movedTo(at: Queries): Promise<string | undefined> {
  const { rows } = await at.query<{ movedTo: string | null }>(
    'select moved_to as "movedTo" from installation',
  )
  return rows[0]?.movedTo ?? undefined
}

export async function setMovedTo(at: Queries, place: string | null): Promise<void> {
  await at.query('update installation set moved_to = $1', [place])
}

/** True if the database refers to anything in an object store. */
export async function recordsBlobs(at: Queries): Promise<boolean> {
  const { rows } = await at.query<{ found: boolean }>(
    'select exists (select from packs) or exists (select from files) or exists (select from versions) as found',
  )
  return rows[0]!.found
}
