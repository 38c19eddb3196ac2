/** Opens either kind of database, the one that the configuration names, and loads only its modules. The only way to get a `Database`. */
import type { Database } from './database.ts'
import type { Migrations } from './migrate.ts'

/** Choice of the database: either `url` or `folder`. */
export interface DatabaseConfig {
  /** Connection string of a PostgreSQL server, version 13 or newer, that offers the `pg_trgm` extension. */
  url?: string
  /** Folder of the embedded database, created if absent. Used if there is no `url`. */
  folder?: string
  /** Receives messages for the operator, one line each. */
  log?: (line: string) => void
  /** Receives each error of a connection to the server that fails or cannot be made. `isDatabaseAway` then tests for it. */
  lost?: ((error: Error) => void) | undefined
  /** Maximum number of connections to the server, one of them for look-ups alone. 2 or more, default 10. */
  poolMax?: number
  /** Migrations to run. Default: all of this release. */
  migrations?: Migrations
  /** This release, for messages and for the record of migrations. Default: `unknown`. */
  release?: string
}

/**
 * Opens the database and migrates its tables. Servers that start at the same time migrate one after the other.
 * @throws FolderInUseError if another process has the embedded database open; DatabaseUnfitError for a server too old or without `pg_trgm`, and for
 * a database that is newer than this program, or that servers of another release use.
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { log = () => undefined, lost, migrations, release = 'unknown' } = config
  // Each kind is imported on demand, so that a process starts sooner without the other.
  if (config.url !== undefined) {
    const { openServer } = await import('./server.ts')
    return openServer({ url: config.url, poolMax: config.poolMax ?? 10, log, lost, migrations, release })
  }
  if (config.folder !== undefined) {
    const { openEmbedded } = await import('./embedded/database.ts')
    return openEmbedded({ folder: config.folder, log, migrations, release })
  }
  throw new Error('openDatabase needs a url or a folder.')
}
