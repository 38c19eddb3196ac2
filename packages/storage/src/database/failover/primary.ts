/**
 * Finds the primary among the servers of a database, and makes connections to it alone. A server that was primary before a failover
 * may still accept connections, and its data is old. So a connection is used only if its server is on the newest timeline known: each
 * promotion begins a timeline with a higher number.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { DatabaseHosts } from './hosts.ts'

/** Time for each server to answer while the primary is looked for. Milliseconds. */
const lookMillisecondsMax = 3_000

/** Interval of looking for a newer primary while the known one still answers. Milliseconds. */
const watchMilliseconds = 10_000

/** No server of the list can be used now; later one may. `errors` has the reason of each. */
export class NoPrimaryError extends AggregateError {
  override name = 'NoPrimaryError'
  /** SQL's code for a connection that cannot be made. */
  readonly code = '08001'
}

/** State of a server. `timeline`: 0 on a standby. */
interface Role {
  readonly isStandby: boolean
  readonly isReadOnly: boolean
  readonly timeline: number
}

const role = `
  select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::boolean as "isReadOnly",
         case when pg_is_in_recovery() then 0
              else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

interface Address {
  readonly host: string
  readonly port: number
}

export class Primary {
  readonly #config: pg.ClientConfig
  readonly #hosts: DatabaseHosts
  /** Open connections, all to servers on `#timeline`. */
  readonly #connections = new Set<pg.Client>()
  readonly #tell: ((line: string) => void) | undefined
  #address: Address | undefined
  #looking: Promise<Address> | undefined
  #timeline = 0

  /** @param config of connections. @param tell receives a line for the operator when the primary changes */
  constructor(hosts: DatabaseHosts, config: pg.ClientConfig, tell?: (line: string) => void) {
    this.#hosts = hosts
    this.#config = config
    this.#tell = tell
  }

  /** Class of connections for a pool with a connection string of any of the hosts. */
  get Client(): typeof pg.Client {
    const connect = (client: pg.Client, begin: () => Promise<unknown>) => this.#connect(client, begin)
    return class PrimaryClient extends pg.Client {
      override connect(): Promise<pg.Client>
      override connect(callback: Connected): void
      override connect(callback?: Connected): Promise<pg.Client> | undefined {
        const connected = connect(this as pg.Client, () => super.connect())
        if (callback === undefined) return connected
        const answer = callback as (error: unknown, client?: pg.Client) => void
        connected.then((client) => answer(null, client), answer)
        return undefined
      }
    } as typeof pg.Client
  }

  /**
   * Looks for a newer primary from time to time: a former one that was cut off from its standby may answer reads, and let writes wait, until
   * it is stopped. Keeps no process running. @returns a function that stops this
   */
  watch(milliseconds = watchMilliseconds): () => void {
    const look = () => void this.#find('again').catch(() => undefined)
    const timer = setInterval(look, milliseconds).unref()
    return () => clearInterval(timer)
  }

  async #connect(client: pg.Client, begin: () => Promise<unknown>): Promise<pg.Client> {
    const address = await this.#find()
    // A lost connection may mean a failover. Without a listener an error before the pool has the connection would end the process.
    client.on('error', () => {
      if (this.#address === address) this.#address = undefined
    })
    // The driver reads them when it connects.
    Object.assign(client, address)
    try {
      await begin()
      this.#admit(client, await roleOf(client))
    } catch (error) {
      if (this.#address === address) this.#address = undefined
      client.end().catch(() => undefined)
      throw error
    }
    return client
  }

  /** @param how `again`: also if one is known. @throws NoPrimaryError */
  #find(how?: 'again'): Promise<Address> {
    if (this.#address !== undefined && how !== 'again') return Promise.resolve(this.#address)
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<Address> {
    const asked = await Promise.allSettled(this.#hosts.urls.map((url) => this.#ask(url)))
    const found = asked
      .flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      .sort((a, b) => b.timeline - a.timeline)[0]
    if (found === undefined)
      throw new NoPrimaryError(
        asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
        'No server of DATABASE_URL is a primary that accepts writes.',
      )
    this.#reach(found.timeline)
    this.#address = found.address
    return found.address
  }

  async #ask(url: string): Promise<{ address: Address; timeline: number }> {
    const client = new pg.Client({
      ...{ ...this.#config, connectionString: url, query_timeout: lookMillisecondsMax },
      connectionTimeoutMillis: lookMillisecondsMax,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { timeline, ...told } = await roleOf(client)
      demandPrimary(told)
      const { host, port } = client
      return { address: { host, port }, timeline }
    } finally {
      client.end().catch(() => undefined)
    }
  }

  #admit(client: pg.Client, told: Role): void {
    demandPrimary(told)
    this.#reach(told.timeline)
    this.#connections.add(client)
    client.once('end', () => this.#connections.delete(client))
  }

  /** Refuses an older timeline than the newest known. At a newer one, closes connections to the former primary. */
  #reach(timeline: number): void {
    if (timeline < this.#timeline)
      throw new NoPrimaryError([], 'The server was the primary before a failover.')
    if (timeline === this.#timeline) return
    if (this.#timeline > 0)
      this.#tell?.(`PostgreSQL failed over: its primary is on timeline ${timeline} now.`)
    this.#timeline = timeline
    for (const client of this.#connections)
      streamOf(client).destroy(
        new Error('Connection terminated: its server was the primary before a failover.'),
      )
  }
}

const streamOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

async function roleOf(client: pg.Client): Promise<Role> {
  const { rows } = await client.query<Role>(role)
  return rows[0]!
}

function demandPrimary({ isStandby, isReadOnly }: Omit<Role, 'timeline'>): void {
  if (isStandby) throw new NoPrimaryError([], 'The server is a standby.')
  if (isReadOnly) throw new NoPrimaryError([], 'The server is read-only.')
}
