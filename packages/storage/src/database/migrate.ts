/**
 * Migrates the tables. The migrations are generated from the tables by `npm run migrations`; they go forward only, and a database
 * newer than this program is refused. Drizzle's own table records the applied ones.
 */
import { fileURLToPath } from 'node:url'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import type pg from 'pg'
import { DatabaseUnfit } from './sql-errors.ts'

/** Which migrations are run. */
export interface Migrations {
  /** The time of the last one. Default: all are run. */
  last?: number | undefined
  /** Folder of the migrations. Default: those of this release. Tests add some. */
  folder?: string | undefined
}

const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** The times of all migrations, by which they are known. Milliseconds, ascending. */
export const migrationTimes = (): number[] =>
  readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis)

/**
 * Runs the pending migrations in one transaction. One process at a time.
 * @throws DatabaseUnfit for a database that a newer release, or a version that was never released, has migrated
 */
export async function migrate(client: pg.ClientBase, which: Migrations = {}): Promise<void> {
  const { last = Number.POSITIVE_INFINITY, folder = migrationsFolder } = which
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  await client.query('begin')
  try {
    await client.query('create schema if not exists drizzle')
    await client.query(
      `create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
    )
    const { rows } = await client.query<{ at: string | null }>(
      'select max(created_at) as at from drizzle.__drizzle_migrations',
    )
    const done = Number(rows[0]?.at ?? 0)
    refuseUnknown(migrations, done)
    for (const migration of migrations)
      if (migration.folderMillis > done && migration.folderMillis <= last) await run(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

function refuseUnknown(migrations: readonly MigrationMeta[], done: number): void {
  if (done === 0 || migrations.some(({ folderMillis }) => folderMillis === done)) return
  if (done > migrations.at(-1)!.folderMillis)
    throw new DatabaseUnfit(
      'The database is of a newer release than this program, which does not know its tables. Nothing was changed. Start the newer release; or restore the backup that was made before the upgrade, with the release that made it.',
    )
  throw new DatabaseUnfit(
    'The database was made by a version of this program that was never released, and cannot be upgraded. Nothing was changed. Start the version that made it, or begin with an empty database.',
  )
}

async function run(client: pg.ClientBase, { sql, hash, folderMillis }: MigrationMeta): Promise<void> {
  for (const statement of sql) await client.query(statement)
  await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
    hash,
    folderMillis,
  ])
}
