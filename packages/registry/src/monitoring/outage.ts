/**
 * Log of outages of the database: one line when it is away, one when it refuses this server instead, and one when it answers again. Everything
 * that fails meanwhile is quiet (`quietLog`, and requests by `isDatabaseAway`), because one cause would fill the log.
 */
import { tlsReason } from '@ulmus/content'
import { connectionRefusal, type Database, isDatabaseAway } from '@ulmus/storage'
import type { Log } from '../log.ts'

/** Between two tests whether the database answers. Milliseconds. */
const pingMilliseconds = 1_000
/** Statements that waited during an outage fail up to this long after it. A connection lost then is part of it. Milliseconds. */
const stragglingMilliseconds = 15_000

export interface Outages {
  /** Receives each error of a connection. */
  lost(error: Error): void
  /** Begins to test the database. Until then it may only be noted that it is away. */
  watch(database: Pick<Database, 'ping'>): void
  close(): void
}

export function outagesOf(log: Log): Outages {
  let database: Pick<Database, 'ping'> | undefined
  let isTesting = false
  let isClosed = false
  let endedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  async function follow(at: Pick<Database, 'ping'>, error: Error): Promise<void> {
    const began = performance.now()
    const logged = new Set<string>()
    while (!isClosed) {
      const { isThere, fault } = await look(at)
      if (isThere) {
        const seconds = Math.round((performance.now() - began) / 1_000)
        if (logged.size > 0) log.info({ seconds }, `The database answers again, after ${seconds} s.`)
        else if (began - endedAt > stragglingMilliseconds)
          log.warn({}, `A database connection was ${wayOf(error)}: ${reasonOf(error)}. The database answers.`)
        endedAt = performance.now()
        return
      }
      // A server that was restarted with other settings is away first, and then refuses this one.
      const refusal = connectionRefusal(fault) ?? connectionRefusal(error)
      const line =
        refusal === undefined
          ? `The database does not answer: ${reasonOf(error)}. Requests that need it get 503 until it does.`
          : `${refusal} Requests that need the database get 503 until then.`
      if (!isClosed && !logged.has(line) && (logged.size === 0 || refusal !== undefined)) {
        log.error({}, line)
        logged.add(line)
      }
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, pingMilliseconds)
      })
    }
  }

  return {
    lost(error) {
      if (database === undefined || isTesting || isClosed) return
      isTesting = true
      void follow(database, error).finally(() => {
        isTesting = false
      })
    },
    watch(opened) {
      database = opened
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

const look = (database: Pick<Database, 'ping'>): Promise<{ isThere: boolean; fault?: unknown }> =>
  database.ping().then(
    () => ({ isThere: true }),
    (fault: unknown) => ({ isThere: false, fault }),
  )

const wayOf = (error: Error) => (connectionRefusal(error) === undefined ? 'lost' : 'refused')

/** The reason in one line. An error for several addresses has only their messages. */
function reasonOf(error: Error): string {
  const { message, errors } = error as { message: string; errors?: Error[] }
  const [line = ''] = (message || errors?.[0]?.message || String(error)).split('\n')
  return tlsReason(line, 'it does not speak TLS').replace(/\.$/, '')
}

/** A log without lines about work that failed because the database was away. */
export function quietLog(log: Log): Log {
  const unlessAway = (write: Log['error']) => (fields: object, message: string) => {
    if (!isDatabaseAway((fields as { err?: unknown }).err)) write(fields, message)
  }
  return {
    info: (fields, message) => log.info(fields, message),
    warn: unlessAway((fields, message) => log.warn(fields, message)),
    error: unlessAway((fields, message) => log.error(fields, message)),
  }
}
