/**
 * The time by which things end and of which versions tell. Servers on one PostgreSQL go by its clock where their own is off: else a session
 * that one of them opened has ended for another, and the order of instants is not that of what happened.
 */
import type { Database } from '@ulmus/storage'
import type { Log } from './log.ts'

export interface Clock {
  now(): Date
  /** Asks the database what time it is. */
  compare(): Promise<void>
}

/** Tolerated error of a server's clock; NTP keeps it below. Milliseconds. */
const toleranceMilliseconds = 2_000
/** An answer that took longer says too little. Milliseconds. */
const answerMillisecondsMax = 1_000

/** @param log receives a message when this process's clock is off, and when it is right again */
export function clockOf(database: Database, log: Log): Clock {
  // The embedded database has no other clock than this process.
  if (database.kind !== 'server') return { now: () => new Date(), compare: async () => undefined }
  /** The database's time at `performance.now()` = 0, a clock that cannot be set. */
  let origin: number | undefined
  let isOff = false
  const shared = () => (origin === undefined ? Date.now() : origin + performance.now())
  const differs = () => Math.abs(Date.now() - shared()) > toleranceMilliseconds
  return {
    now: () => (differs() ? new Date(shared()) : new Date()),
    async compare() {
      const sentAt = performance.now()
      const text = 'select extract(epoch from clock_timestamp())::double precision * 1000 as now'
      const { rows } = await database.query(text)
      const receivedAt = performance.now()
      if (origin !== undefined && receivedAt - sentAt > answerMillisecondsMax) return
      origin = Number(rows[0]!['now']) - (sentAt + receivedAt) / 2
      if (differs() === isOff) return
      isOff = !isOff
      const offMilliseconds = Math.round(Date.now() - shared())
      if (isOff)
        log.warn({ offMilliseconds }, "This machine's clock is off: the database's is gone by. Set it.")
      else log.info({}, "This machine's clock is that of the database again.")
    },
  }
}
