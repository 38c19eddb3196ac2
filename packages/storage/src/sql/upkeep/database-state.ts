import type { Queries } from '../../database/database.ts'

/**
 * Names the committed state of the database: the transactions that a statement sees now. If two calls return the same text, no transaction
 * that wrote anything has ended in between, so that every read returns the same rows.
 */
export async function nameDatabaseState(at: Queries): Promise<string> {
  const { rows } = await at.lookUp<{ state: string }>(
    'select pg_current_snapshot()::text as state',
    [],
    'database_state',
  )
  return rows[0]!.state
}
