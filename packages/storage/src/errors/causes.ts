/**
 * Iterates over the causes of an error: drivers and clients wrap errors, sometimes several times, and a code that matters may be deep
 * inside. Tests of errors use it instead of comparing the outermost error.
 */

/** Members of errors of drivers and clients that such tests compare. */
export interface ErrorMembers {
  code?: unknown
  /** Of PostgreSQL: `FATAL` ends the connection. */
  severity?: unknown
  constraint?: unknown
  message?: unknown
  /** File of an error of the file system. */
  path?: unknown
  cause?: unknown
  errors?: unknown
}

/** Bound of nesting, because causes can form a cycle. */
const depthMax = 8

/** Yields the error, its causes, and the errors gathered in it (such as an AggregateError for several addresses). */
export function* causes(error: unknown, depth = 0): Generator<ErrorMembers> {
  if (typeof error !== 'object' || error === null || depth > depthMax) return
  const told: ErrorMembers = error
  yield told
  yield* causes(told.cause, depth + 1)
  if (Array.isArray(told.errors)) for (const one of told.errors) yield* causes(one, depth + 1)
}
