/**
 * Detects dead connections: a firewall forgot them, a machine lost power, an address moved. TCP notices after a
 * quarter of an hour or never; until then queries hang, and each such connection shrinks the pool.
 *
 * A statement may take long, so silence alone proves nothing. For a connection that has been silent for long, ask the server over another
 * connection: it is still working, has answered long ago, or does not know the connection.
 */
import type { Socket } from 'node:net'
import type pg from 'pg'

/** Silence of a connection before it is checked. Milliseconds. */
const silenceMillisecondsMax = 10_000

export interface SilenceOptions {
  /** Runs a statement on a connection that has its own timeout for silence. */
  readonly ask: (text: string, values: unknown[]) => Promise<pg.QueryResult>
  readonly tell: (line: string) => void
  /** Less in tests. Milliseconds. */
  readonly silenceMilliseconds?: number
}

/** Members of the driver that its types omit. */
interface Driven {
  readonly processID: number
  readonly connection: {
    readonly stream: Socket
    prependListener(event: 'readyForQuery', listener: () => void): void
  }
}

interface Watched {
  readonly backend: number
  readonly stream: Socket
  /** Bytes sent when the server last reported ready: if more were sent since, an answer is pending. */
  bytesAnswered: number
  /** Time of the last received data, by `performance.now()`. */
  heardAt: number
}

/** Backends that are still working. A backend blocked in sending does not count. */
const atWork = `
  select pid from pg_stat_activity
  where pid = any($1) and state = 'active' and wait_event is distinct from 'ClientWrite'`

/** Starts closing the pool's connections that wait for an answer which will not come. @returns a function that stops this */
export function giveUpSilent(pool: pg.Pool, options: SilenceOptions): () => void {
  const silence = options.silenceMilliseconds ?? silenceMillisecondsMax
  const watched = new Set<Watched>()
  pool.on('connect', (client) => {
    const { processID: backend, connection } = client as unknown as Driven
    const { stream } = connection
    const one = { backend, stream, bytesAnswered: stream.bytesWritten, heardAt: performance.now() }
    watched.add(one)
    stream.on('data', () => {
      one.heardAt = performance.now()
    })
    stream.once('close', () => watched.delete(one))
    // Runs before the driver sends the next statement.
    connection.prependListener('readyForQuery', () => {
      one.bytesAnswered = stream.bytesWritten
    })
  })
  const silentOnes = () =>
    [...watched].filter(
      ({ stream, bytesAnswered, heardAt }) =>
        stream.bytesWritten > bytesAnswered && performance.now() - heardAt > silence,
    )
  let isLooking = false
  const look = async () => {
    const silent = silentOnes()
    if (isLooking || silent.length === 0) return
    isLooking = true
    try {
      const busy = await busyOf(silent, options)
      // Skip connections that received data meanwhile, as after a pause of this process.
      const still = new Set(silentOnes())
      const lost = silent.filter((one) => still.has(one) && !busy.has(one.backend))
      for (const { stream } of lost)
        stream.destroy(new Error('Connection terminated: its other end is gone.'))
      if (lost.length > 0)
        options.tell(`Database connections were given up, which were silent: ${lost.length}`)
    } finally {
      isLooking = false
    }
  }
  const watch = setInterval(() => void look(), silence / 4).unref()
  return () => clearInterval(watch)
}

/** Backends that are at work; empty if the server does not answer. */
async function busyOf(silent: readonly Watched[], { ask }: SilenceOptions): Promise<ReadonlySet<number>> {
  try {
    const { rows } = await ask(atWork, [silent.map(({ backend }) => backend)])
    return new Set((rows as { pid: number }[]).map(({ pid }) => pid))
  } catch {
    return new Set()
  }
}
