/** Brings the tables up to date. The migrations are generated from the tables by `npm run migrations`. */
import { fileURLToPath } from 'node:url'
import { migrate as migrateTo } from 'drizzle-orm/node-postgres/migrator'
import type { Orm } from './orm.ts'

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Runs what has not run yet, all of it in one transaction. One process at a time. */
export async function migrate(orm: Orm): Promise<void> {
  await migrateTo(orm, { migrationsFolder })
}
