/** Causes of an error: drivers and clients wrap errors, some of them several times. */

export interface Told {
  code?: unknown
  constraint?: unknown
  message?: unknown
  cause?: unknown
  errors?: unknown
}

const depthMax = 8

/** The error, its causes, and the errors gathered in it (an AggregateError of several addresses tried). */
export function* causes(error: unknown, depth = 0): Generator<Told> {
  if (typeof error !== 'object' || error === null || depth > depthMax) return
  const told: Told = error
  yield told
  yield* causes(told.cause, depth + 1)
  if (Array.isArray(told.errors)) for (const one of told.errors) yield* causes(one, depth + 1)
}
