/** Time limit for monitoring: health and metrics must answer even if the database or a store does not. */

/** Milliseconds. */
const answerMillisecondsMax = 2_000

/** Result of `answer`; undefined if it rejects or takes longer than 2 s. */
export async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, answerMillisecondsMax, undefined)
  try {
    return await Promise.race([answer, late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
