/**
 * PostgreSQL in process (PGlite), durable.
 *
 * As it ships PGlite never syncs: it starts with `-F` and its file system has no `fsync`. Here `-F` goes, `fsync` reaches the
 * disk, and the write-ahead log is synced with `fsync`, because PGlite's `fdatasync` does nothing. One sync a commit.
 */
import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import type { Database, Tx } from './database.ts'
import { filesOf, SyncingFolder } from './embedded-files.ts'
import { lockFolder } from './folder-lock.ts'
import { migrate } from './migrate.ts'
import { type Client, NamedStatements, PreparingSession } from './named-statements.ts'
import type { Orm } from './orm.ts'
import { refuseInsideTransaction, runInTransaction, singleStatement } from './transaction-scope.ts'

const dialect = new PgDialect()

const ormOnPglite = (client: Client, statements: NamedStatements): Orm =>
  new PgDatabase(dialect, new PreparingSession(client, dialect, statements), undefined)

/** @throws FolderInUse when another process has the folder open. */
export async function openEmbedded(options: { folder: string }): Promise<Database> {
  const lock = lockFolder(options.folder)
  try {
    const client = await startPostgres(await filesOf(options.folder))
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

/** Shared buffers are filled with zeros at the start, so all of them are memory; the operating system's cache is behind them. */
const memory = ['-c', 'shared_buffers=32MB']
const syncing = ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync']
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...syncing,
  ...memory,
  ...['-c', 'TimeZone=UTC'],
]

async function startPostgres(files: string): Promise<PGlite> {
  const postgres = new Postgres({ fs: new SyncingFolder(files), startParams, extensions: { pg_trgm } })
  await postgres.waitReady
  return postgres
}

/**
 * V8 compiles what is hot a second time, better. Of PostgreSQL's grammar, one function of 105 kB that every statement runs through,
 * that takes 600 MiB and seconds, and nothing becomes faster. A function that is first called while V8 is told to improve
 * function 0 alone, which is not WebAssembly, stays as it is: the first statement is therefore an empty one, run so.
 */
class Postgres extends PGlite {
  override async _initArrayTypes(...options: Parameters<PGlite['_initArrayTypes']>): Promise<void> {
    this.execProtocolRawSync(message('S'))
    setFlagsFromString('--wasm-tier-up-filter=0')
    try {
      this.execProtocolRawSync(message('Q', ';\0'))
    } finally {
      setFlagsFromString('--wasm-tier-up-filter=-1')
    }
    return super._initArrayTypes(...options)
  }
}

/** A message of PostgreSQL's protocol: its letter, its length, its text. */
function message(letter: string, text = ''): Uint8Array {
  const bytes = Buffer.from(`${letter}\0\0\0\0${text}`)
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}

function embeddedDatabase(client: PGlite, statements: NamedStatements, release: () => void): Database {
  const orm = ormOnPglite(client, statements)
  const query: Database['query'] = async (text, values = [], name) => {
    if (name !== undefined) return statements.run(client, name, text, values)
    if (values.length > 0) return client.query<Record<string, unknown>>(text, values)
    return queryAll(client, text)
  }
  return {
    kind: 'embedded',
    get orm() {
      refuseInsideTransaction()
      return orm
    },
    async query(...statement) {
      refuseInsideTransaction()
      return query(...statement)
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
    async transactOnce(work) {
      refuseInsideTransaction()
      return runInTransaction(() => work(singleStatement(query)))
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
