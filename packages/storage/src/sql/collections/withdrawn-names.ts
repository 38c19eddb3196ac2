/**
 * Names of types and fields that were private in withdrawn versions. The head after a withdrawal may not contain them, but a push
 * that makes them public must still confirm it.
 */
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Queries, Tx } from '../../database/database.ts'
import { collections } from './collections.ts'

export const withdrawnNames = pgTable('withdrawn_names', {
  collectionId: uuid('collection_id')
    .primaryKey()
    .references(() => collections.id, { onDelete: 'cascade' }),
  /** JSON list. Text, since jsonb refuses U+0000, which a name may contain. */
  names: text('names').notNull(),
})

/** Returns null if no version with private names was withdrawn. */
export async function findWithdrawnNames(at: Queries, collectionId: string): Promise<string | null> {
  const { rows } = await at.query<{ names: string }>(
    'select names from withdrawn_names where collection_id = $1',
    [collectionId],
  )
  return rows[0]?.names ?? null
}

/** Replaces the list. */
export async function keepWithdrawnNames(tx: Tx, collectionId: string, names: string): Promise<void> {
  await tx.query(
    `insert into withdrawn_names (collection_id, names) values ($1, $2)
     on conflict (collection_id) do update set names = excluded.names`,
    [collectionId, names],
  )
}
