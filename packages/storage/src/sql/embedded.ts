/**
 * PostgreSQL in process (PGlite), durable.
 *
 * As it ships PGlite never syncs: it starts with `-F` and its file system has no `fsync`. Here `-F` goes, `fsync` reaches the
 * disk, and the write-ahead log is synced with `fsync`, because PGlite's `fdatasync` does nothing. One sync a commit.
 *
 * The folder holds `lock` (see folder-lock.ts) and `pg`, PostgreSQL's own files. A new database is made in `pg.new` and renamed
 * once it is whole and synced, so a crash while it is made leaves nothing to repair.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import type { Database, Tx } from './database.ts'
import { lockFolder } from './folder-lock.ts'
import { migrate } from './migrate.ts'
import { type Client, NamedStatements, PreparingSession } from './named-statements.ts'
import type { Orm } from './orm.ts'
import { refuseInsideTransaction, runInTransaction } from './transaction-scope.ts'

const dialect = new PgDialect()

const ormOnPglite = (client: Client, statements: NamedStatements): Orm =>
  new PgDatabase(dialect, new PreparingSession(client, dialect, statements), undefined)

/** @throws FolderInUse when another process has the folder open. */
export async function openEmbedded(options: { folder: string }): Promise<Database> {
  const lock = lockFolder(options.folder)
  try {
    const files = join(options.folder, 'pg')
    if (!existsSync(files)) await createFiles(options.folder, files)
    const client = await startPglite(files, durableParams)
    const statements = new NamedStatements(client)
    try {
      await migrate(ormOnPglite(client, statements))
    } catch (error) {
      await client.close()
      throw error
    }
    return embeddedDatabase(client, statements, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

async function createFiles(folder: string, files: string): Promise<void> {
  const unfinished = `${files}.new`
  rmSync(unfinished, { recursive: true, force: true })
  await (await startPglite(unfinished, PGlite.defaultStartParams)).close()
  for (const entry of readdirSync(unfinished, { recursive: true, encoding: 'utf8' }))
    syncPath(join(unfinished, entry))
  syncPath(unfinished)
  renameSync(unfinished, files)
  syncPath(folder)
}

const syncing = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'TimeZone=UTC']
const durableParams = [...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'), ...syncing]

const startPglite = (files: string, startParams: string[]): Promise<PGlite> =>
  PGlite.create({ fs: new SyncingFolder(files), startParams, extensions: { pg_trgm } })

/** What Emscripten's file system hands to `fsync`: an open file has a descriptor of ours, a folder has none. */
interface EmscriptenStream {
  node: object
  nfd?: number
}
/** The part of Emscripten's NODEFS that its types leave out. */
interface SyncableFileSystem {
  stream_ops: { fsync?: (stream: EmscriptenStream) => number }
  realPath(node: object): string
}

/**
 * After a failed sync nobody knows what is on disk, and syncing again tells nothing: PostgreSQL panics then, and reads its log at
 * the next start. In process a panic would spin for ever, so the process ends here, before anything more is acknowledged.
 */
function endProcess(error: unknown): never {
  writeSync(2, `The disk failed to sync the database, so the server stops: ${String(error)}\n`)
  process.abort()
}

/** The folder on disk, with an `fsync` that syncs. */
class SyncingFolder extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const preRun = [...(emscriptenOpts.preRun ?? [])]
    preRun.push((module) => {
      const files = module.NODEFS as unknown as SyncableFileSystem
      files.stream_ops.fsync = (stream) => {
        try {
          if (typeof stream.nfd === 'number') fsyncSync(stream.nfd)
          else syncPath(files.realPath(stream.node))
          return 0
        } catch (error) {
          return endProcess(error)
        }
      }
    })
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}

/** Windows cannot open a folder to sync it; its file systems journal names themselves. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (process.platform !== 'win32') throw error
  } finally {
    closeSync(descriptor)
  }
}

function embeddedDatabase(client: PGlite, statements: NamedStatements, release: () => void): Database {
  const orm = ormOnPglite(client, statements)
  return {
    kind: 'embedded',
    get orm() {
      refuseInsideTransaction()
      return orm
    },
    async query(text, values = [], name) {
      refuseInsideTransaction()
      if (name !== undefined) return statements.run(client, name, text, values)
      if (values.length > 0) return client.query<Record<string, unknown>>(text, values)
      return queryAll(client, text)
    },
    async transact(work) {
      refuseInsideTransaction()
      return runInTransaction(() =>
        client.transaction((open) => {
          const query: Tx['query'] = async (text, values = [], name) => {
            if (name !== undefined) return statements.run(open, name, text, values)
            if (values.length > 0) return open.query<Record<string, unknown>>(text, values)
            return { rows: (await open.exec(text)).flatMap((result) => result.rows) }
          }
          return work({ orm: ormOnPglite(open, statements), query } as Tx)
        }),
      )
    },
    async ping() {
      await client.query('select 1')
    },
    async close() {
      if (!client.closed) await client.close()
      release()
    },
  }
}

/**
 * Several statements at once. A text that opens a transaction of its own and fails would leave the one session there is inside
 * it, so such a text runs in ours, which rolls back before anyone else's statement comes; its own `begin` then only warns.
 */
async function queryAll(client: PGlite, text: string): Promise<{ rows: Record<string, unknown>[] }> {
  const results = /\bbegin\b/i.test(text)
    ? await client.transaction((open) => open.exec(text))
    : await client.exec(text)
  return { rows: results.flatMap((result) => result.rows) }
}
