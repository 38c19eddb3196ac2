/** A PostgreSQL server, through a pool of connections. */
import { NodePgSession } from 'drizzle-orm/node-postgres'
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Database, Tx } from './database.ts'
import { LookingUpSession, LookUps } from './look-ups.ts'
import { migrate } from './migrate.ts'
import type { Orm } from './orm.ts'
import { DatabaseUnfit, isConflict } from './sql-errors.ts'
import { refuseInsideTransaction, runInTransaction, singleStatement } from './transaction-scope.ts'

const connectMillisecondsMax = 5_000
const serverVersionMin = 13
const runsAgainMax = 3
/** "ulmus", as the number of the lock that migrating servers wait on. */
const migrationLock = 0x75_6c_6d_75

const dialect = new PgDialect()

const ormOnServer = (client: pg.PoolClient): Orm =>
  new PgDatabase(dialect, new NodePgSession(client, dialect, undefined), undefined)

export async function openServer(options: {
  url: string
  poolMax: number
  log: (line: string) => void
}): Promise<Database> {
  const config = {
    connectionString: options.url,
    connectionTimeoutMillis: connectMillisecondsMax,
    keepAlive: true,
    application_name: 'ulmus',
    options: '-c TimeZone=UTC',
  }
  // One of the connections is for look-ups.
  const pool = new pg.Pool({ ...config, max: options.poolMax - 1 })
  const lookUps = new LookUps(config)
  const tellLoss = (error: Error) => options.log(`A database connection was lost: ${error.message}`)
  for (const one of [pool, lookUps.pool]) {
    one.on('error', tellLoss)
    // A pool listens to idle connections only; one lost while something runs on it would end the process.
    one.on('connect', (client) => client.on('error', tellLoss))
  }
  try {
    await prepare(pool)
  } catch (error) {
    await pool.end()
    throw error
  }
  return serverDatabase(pool, lookUps)
}

/** Checks the server and migrates, one process at a time: the lock is the connection's and goes with it. */
async function prepare(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await refuseUnfit(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await migrate(ormOnServer(client))
    await client.query('select pg_advisory_unlock($1)', [migrationLock])
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function refuseUnfit(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ version: number; trigrams: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as version,
            exists (select from pg_available_extensions where name = 'pg_trgm') as trigrams`,
  )
  const server = rows[0]
  if (server === undefined || server.version < serverVersionMin) {
    const version = server?.version ?? 'unknown'
    throw new DatabaseUnfit(
      `The database server is PostgreSQL ${version}; ${serverVersionMin} or newer is needed.`,
    )
  }
  if (!server.trigrams) {
    throw new DatabaseUnfit(
      'The database server lacks the pg_trgm extension. It comes with PostgreSQL as "contrib" (postgresql-contrib).',
    )
  }
}

function serverDatabase(pool: pg.Pool, lookUps: LookUps): Database {
  const orm: Orm = new PgDatabase(dialect, new LookingUpSession(pool, dialect, lookUps), undefined)
  const query: Database['query'] = async (text, values, name) =>
    rowsOf(await pool.query({ text, values, name }))
  return {
    kind: 'server',
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
      return againOnConflict(() => runInTransaction(() => transactOn(pool, work)))
    },
    async transactOnce(work) {
      refuseInsideTransaction()
      return againOnConflict(() => runInTransaction(() => work(singleStatement(query))))
    },
    async ping() {
      await pool.query('select 1')
    },
    async close() {
      await Promise.all([pool, lookUps.pool].map((one) => (one.ended ? undefined : one.end())))
    },
  }
}

async function againOnConflict<T>(transact: () => Promise<T>): Promise<T> {
  for (let run = 0; ; run++) {
    try {
      return await transact()
    } catch (error) {
      if (run === runsAgainMax || !isConflict(error)) throw error
    }
  }
}

async function transactOn<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const query: Tx['query'] = async (text, values, name) =>
      rowsOf(await client.query({ text, values, name }))
    const result = await work({ orm: ormOnServer(client), query } as Tx)
    const ended = await client.query('commit')
    // A failed statement whose error was swallowed leaves a transaction that "commit" rolls back without an error.
    if (ended.command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements had failed.')
    client.release()
    return result
  } catch (error) {
    const rolledBack = await client.query('rollback').catch(() => undefined)
    client.release(rolledBack === undefined)
    throw error
  }
}

/** Several statements at once answer with an array of results. */
function rowsOf(result: pg.QueryResult | pg.QueryResult[]): { rows: Record<string, unknown>[] } {
  return { rows: Array.isArray(result) ? result.flatMap((one) => one.rows) : result.rows }
}
