/**
 * The clock, and the text form of instants in answers. Servers that share a PostgreSQL use its clock if their own is off.
 * Otherwise a session opened by one server would be expired on another, and instants would be out of order.
 */
import type { Database } from '@ulmus/storage'
import { RegistryError } from './errors/errors.ts'
import type { Log } from './log.ts'

/** A clock that agrees with the database's within the tolerance. */
export interface Clock {
  now(): Date
  /** Compares this process's clock with the database's. */
  compare(): Promise<void>
}

/** Tolerated error of a server's clock; NTP keeps it below. Milliseconds. */
const toleranceMilliseconds = 2_000
/** A slower answer is too inexact. Milliseconds. */
const answerMillisecondsMax = 1_000

/** @param log receives a warning when this process's clock is off, and a message when it is right again */
export function clockOf(database: Database, log: Log): Clock {
  // The embedded database has no other clock than this process.
  if (database.kind !== 'server') return { now: () => new Date(), compare: async () => undefined }
  /** The database's time at `performance.now()` = 0; that clock cannot be set. */
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

/** `2026-01-15T00:00:00.000Z` */
export const instantText = (date: Date): string => date.toISOString()
/** The same; null for null. */
export const instantTextOrNull = (date: Date | null): string | null => date?.toISOString() ?? null

/** True for a valid date in the years 1 to 9999 in UTC: answers write these with four digits, and PostgreSQL reads them. */
export function isInstant(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** @param field name for the error. @throws invalid_request if the text is no such instant */
export function readInstant(field: string, text: string): Date {
  const date = new Date(text)
  if (isInstant(date)) return date
  const issues = [{ path: field, message: 'must be in the years 0001 to 9999, in UTC' }]
  throw new RegistryError('invalid_request', { details: { issues } })
}
