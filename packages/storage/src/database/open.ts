/** Opens either database, and loads what that one needs alone. */
import type { Database } from './database.ts'
import type { Migrations } from './migrate.ts'

export interface DatabaseConfig {
  /** Connection string of a PostgreSQL server, 13 or newer, with the `pg_trgm` extension at hand. */
  url?: string
  /** Folder of the embedded database, made when absent. Used when there is no `url`. */
  folder?: string
  /** Called with what an operator should know, one line each. */
  log?: (line: string) => void
  /** Connections to the server at most, one of them for look-ups alone. 2 or more, default 10. */
  poolMax?: number
  /** Default: all of this release. */
  migrations?: Migrations
}

/**
 * Opens the database and migrates its tables. Servers that start at the same time migrate one after the other.
 * @throws FolderInUse when another process has the embedded database open; DatabaseUnfit for a server too old or without `pg_trgm`, and for
 * a database that is newer than this program.
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { log = () => undefined, migrations } = config
  // A process needs one of the two, and starts sooner without the other.
  if (config.url !== undefined) {
    const { openServer } = await import('./server.ts')
    return openServer({ url: config.url, poolMax: config.poolMax ?? 10, log, migrations })
  }
  if (config.folder !== undefined) {
    const { openEmbedded } = await import('./embedded/database.ts')
    return openEmbedded({ folder: config.folder, migrations })
  }
  throw new Error('openDatabase needs a url or a folder.')
}
