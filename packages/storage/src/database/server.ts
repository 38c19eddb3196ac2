/**
 * Opens a database on a PostgreSQL server: checks the server, migrates under an advisory lock, and returns a pool whose silent connections
 * are closed. The other kind is embedded/database.ts.
 */
import { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Database } from './database.ts'
import { databaseHosts } from './failover/hosts.ts'
import { Primary } from './failover/primary.ts'
import { LookUps, poolForLookUps } from './look-ups.ts'
import { type MigrationOptions, type Migrations, migrate, migratedTopic } from './migrate.ts'
import { pooledDatabase, types } from './pool.ts'
import { refusalOf } from './server-refusals.ts'
import { giveUpSilent } from './silent-connections.ts'
import { DatabaseUnfitError } from './sql-errors.ts'

/** Timeout for a new connection, and for a free one of the pool. Milliseconds. */
const connectMillisecondsMax = 5_000
/**
 * The server ends a transaction that is idle this long and frees its locks: its client is gone or has stalled. Milliseconds.
 */
const idleInTransactionMillisecondsMax = 20_000
/** Oldest supported major version of PostgreSQL; docs and the message name it too. */
const serverVersionMin = 13
/** Channel of notifications. */
const channel = 'ulmus'
/** "ulmus" as a number: the advisory lock for migrations. */
const migrationLock = 0x75_6c_6d_75

export async function openServer(options: {
  url: string
  poolMax: number
  log: (line: string) => void
  /** See `DatabaseConfig`. Default: `log` receives a line for each. */
  lost?: ((error: Error) => void) | undefined
  migrations?: Migrations | undefined
  release?: string
  /** Silence of a connection before it is checked; less in tests. Milliseconds. */
  silenceMilliseconds?: number
  /** Interval of looking for a newer primary; less in tests. Milliseconds. */
  watchMilliseconds?: number
}): Promise<Database> {
  const hosts = databaseHosts(options.url)
  const one = {
    connectionString: hosts.urls[0],
    connectionTimeoutMillis: connectMillisecondsMax,
    types,
    keepAlive: true,
    application_name: 'ulmus',
    options: `-c TimeZone=UTC -c idle_in_transaction_session_timeout=${idleInTransactionMillisecondsMax}`,
  }
  const primary = hosts.onlyPrimary ? new Primary(hosts, one, options.log) : undefined
  const config = primary ? { ...one, Client: primary.Client } : one
  // One of the connections is for look-ups.
  const pool = new pg.Pool({ ...config, max: options.poolMax - 1 })
  const lookUpPool = poolForLookUps(config)
  const tellLoss =
    options.lost ?? ((error: Error) => options.log(`A database connection was lost: ${error.message}`))
  for (const each of [pool, lookUpPool]) {
    each.on('error', tellLoss)
    // A pool handles errors of idle connections only; an error on a busy one would end the process.
    each.on('connect', (client) => client.on('error', tellLoss))
  }
  const lookUps = new LookUps(lookUpPool)
  const hearing = new EventEmitter<{ topic: [string] }>()
  let isDirect: boolean
  try {
    ;({ isDirect } = await prepare(pool, options.migrations, {
      ...{ release: options.release ?? 'unknown', isShared: true, log: options.log },
    }))
  } catch (error) {
    await pool.end()
    throw refusalOf(error)
  }
  // The connection of look-ups is never long without one, so it is kept. A pooler in between passes on no notifications.
  if (isDirect)
    lookUpPool.on('connect', (client) => {
      client.on('notification', ({ payload = '' }) => hearing.emit('topic', payload))
      client.query(`listen ${channel}`).catch(() => undefined)
    })
  const { silenceMilliseconds } = options
  const ask = (text: string, values: unknown[]) => lookUps.query({ text, values })
  // A pooler in between has its own numbers for connections, and closes silent ones itself.
  const end = isDirect ? giveUpSilent(pool, { ask, tell: options.log, silenceMilliseconds }) : () => undefined
  const endWatch = primary?.watch(options.watchMilliseconds)
  return pooledDatabase({
    kind: 'server',
    pool,
    lost: options.lost,
    outside: {
      run: (statement) => pool.query(statement),
      lookUp: (statement) => lookUps.query(statement),
    },
    async notify(topic) {
      await pool.query('select pg_notify($1, $2)', [channel, topic])
    },
    listen: (heard) => hearing.on('topic', heard),
    async close() {
      end()
      endWatch?.()
      await Promise.all([pool, lookUpPool].map((each) => (each.ended ? undefined : each.end())))
    },
  })
}

/**
 * Checks the server and migrates. The advisory lock admits one process at a time; it belongs to the connection and ends with it.
 * @returns `isDirect`: connections end at the server itself, not at a pooler
 */
async function prepare(
  pool: pg.Pool,
  migrations: Migrations | undefined,
  options: MigrationOptions,
): Promise<{ isDirect: boolean }> {
  const client = await pool.connect()
  try {
    await refuseUnfit(client)
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    // Running servers compare the migrations with theirs at once.
    if (await migrate(client, migrations ?? {}, options))
      await client.query('select pg_notify($1, $2)', [channel, migratedTopic])
    await client.query('select pg_advisory_unlock($1)', [migrationLock])
    const { rows } = await client.query<{ backend: number }>('select pg_backend_pid() as backend')
    const { processID } = client as unknown as { processID: number }
    // Close this connection: it was opened before silent connections are detected.
    client.release(true)
    return { isDirect: rows[0]?.backend === processID }
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function refuseUnfit(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string; trigrams: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as version,
            current_setting('server_encoding') as encoding,
            exists (select from pg_available_extensions where name = 'pg_trgm') as trigrams`,
  )
  const server = rows[0]
  if (server === undefined || server.version < serverVersionMin) {
    const version = server?.version ?? 'unknown'
    throw new DatabaseUnfitError(
      `The database server is PostgreSQL ${version}; ${serverVersionMin} or newer is needed.`,
    )
  }
  if (server.encoding !== 'UTF8') {
    throw new DatabaseUnfitError(
      `The database of DATABASE_URL has the encoding ${server.encoding}; UTF8 is needed. Create one by: create database … encoding 'UTF8' template template0.`,
    )
  }
  if (!server.trigrams) {
    throw new DatabaseUnfitError(
      'The database server lacks the pg_trgm extension. It comes with PostgreSQL as "contrib" (postgresql-contrib).',
    )
  }
}
