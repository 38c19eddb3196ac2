/** Detects other Ulmus servers that use a database, before a command copies it elsewhere: writes of a running server would be lost. */
import pg from 'pg'
import { databaseHosts } from './failover/hosts.ts'
import { Primary } from './failover/primary.ts'

/** Counts the connections of Ulmus to this database, except this function's own. @throws errors of the driver */
export async function otherConnections(url: string): Promise<number> {
  const hosts = databaseHosts(url)
  const config = { connectionString: hosts.urls[0], connectionTimeoutMillis: 5_000 }
  const client = hosts.onlyPrimary ? new new Primary(hosts, config).Client(config) : new pg.Client(config)
  // The running query rejects with this error as well. An unhandled error event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ others: number }>(
      `select count(*)::integer as others from pg_stat_activity
       where datname = current_database() and application_name = 'ulmus' and pid <> pg_backend_pid()`,
    )
    return rows[0]!.others
  } finally {
    await client.end()
  }
}
