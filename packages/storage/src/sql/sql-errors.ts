/** What went wrong in the database, told alike for both drivers and through Drizzle's wrapping. */

interface SqlError {
  code?: unknown
  constraint?: unknown
  message?: unknown
  cause?: unknown
  errors?: unknown
}

/** The error, what caused it, and what was gathered in it (an AggregateError of several addresses tried). */
function* causes(error: unknown, depth = 0): Generator<SqlError> {
  if (typeof error !== 'object' || error === null || depth > 8) return
  const told = error as SqlError
  yield told
  yield* causes(told.cause, depth + 1)
  if (Array.isArray(told.errors)) for (const one of told.errors) yield* causes(one, depth + 1)
}

/** Whether a unique index or primary key refused the statement; with `constraint`, that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  for (const told of causes(error)) {
    if (told.code === '23505') return constraint === undefined || told.constraint === constraint
  }
  return false
}

/** Whether a text was refused that no text of PostgreSQL can be: one with U+0000. */
export function isUnstorableText(error: unknown): boolean {
  for (const told of causes(error)) if (told.code === '22021' || told.code === '22P05') return true
  return false
}

/** Whether the same transaction may succeed when run again: serialization failure or deadlock. */
export function isConflict(error: unknown): boolean {
  for (const told of causes(error)) if (told.code === '40001' || told.code === '40P01') return true
  return false
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** Class 08 is connection trouble, 57P0x a server that stops or starts, 53300 one with no connection to spare. */
const serverAway = /^(?:08...|57P0[1-5]|53300)$/
const driverSays =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end|PGlite is clos)/

/** Whether the database could not be reached, as opposed to having refused the statement. */
export function isUnavailable(error: unknown): boolean {
  for (const told of causes(error)) {
    if (typeof told.code === 'string' && (networkCodes.has(told.code) || serverAway.test(told.code)))
      return true
    if (typeof told.message === 'string' && driverSays.test(told.message)) return true
  }
  return false
}
