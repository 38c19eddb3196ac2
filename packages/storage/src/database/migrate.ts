/** Brings the tables up to date. The migrations are generated from the tables by `npm run migrations`. */
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Orm } from './orm.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Runs what has not run yet, all of it in one transaction. One process at a time. */
export async function migrate(orm: Orm): Promise<void> {
  await new PgDialect().migrate(readMigrationFiles({ migrationsFolder }), orm._.session, { migrationsFolder })
}
