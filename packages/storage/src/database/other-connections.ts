/** Detection of servers that use a database. */
import pg from 'pg'

/** How many connections of Ulmus a server has to this database, but for the one that asks. @throws what the driver rejects with */
export async function otherConnections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // The query that runs rejects with it, too. Unheard, it would end the process.
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
