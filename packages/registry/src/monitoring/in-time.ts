/** Limit for the answer of a store, so that its observer does not hang. Milliseconds. */
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
