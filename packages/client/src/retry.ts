/** Retries of requests, and the waits between them. */
import { UlmusError } from './errors.ts'

export interface RetryPolicy {
  /** Maximum number of attempts, including the first. At least 1, default 6. */
  readonly attempts: number
  /**
   * Each step of a push is retried for this long, beyond `attempts`: a failover of the registry's database may take a minute.
   * Milliseconds, default 120,000; 0 if you set only `attempts`.
   */
  readonly pushMs: number
  /** Wait before the second attempt; doubles with each further one. Milliseconds, default 200. */
  readonly delayMs: number
  /** Longest wait, except for a `Retry-After`. Milliseconds, default 10,000. */
  readonly delayMsMax: number
  /** Longest accepted `Retry-After`; a longer one ends the attempts. Milliseconds, default 120,000. */
  readonly retryAfterMsMax: number
}

/** Defaults of `RetryPolicy`. */
export const usualRetry: RetryPolicy = Object.freeze({
  attempts: 6,
  pushMs: 120_000,
  delayMs: 200,
  delayMsMax: 10_000,
  retryAfterMsMax: 120_000,
})

/**
 * True if a retry can help. 429 means that the request was not processed, so any request may be retried; without an answer, or after
 * 502, 503 or 504, the request may have taken effect, so only a repeatable one is retried.
 */
function isPassing(error: unknown, repeatable: boolean): error is UlmusError {
  if (!(error instanceof UlmusError)) return false
  if (error.status === 429) return true
  return repeatable && [0, 502, 503, 504].includes(error.status)
}

/**
 * Wait after attempt number `attempt` (the first is 1), in milliseconds: a random part, at least half, of a doubling delay, so that many
 * clients do not return at once, but never less than the answer's `Retry-After`. Undefined: give up.
 */
export function waitAfter(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  repeatable: boolean,
): number | undefined {
  if (attempt >= policy.attempts || !isPassing(error, repeatable)) return undefined
  const full = Math.min(policy.delayMsMax, policy.delayMs * 2 ** (attempt - 1))
  const own = full * (0.5 + Math.random() / 2)
  const asked = error.retryAfterMs ?? 0
  return asked > policy.retryAfterMsMax ? undefined : Math.max(own, asked)
}

/** The policy of a client. A caller that limits the attempts of all requests also means those of pushes. */
export const policyOf = (given: Partial<RetryPolicy> = {}): RetryPolicy => ({
  ...usualRetry,
  ...(given.attempts !== undefined && { pushMs: 0 }),
  ...given,
})

/**
 * Runs `work` until it succeeds, fails for good, or the attempts are used up; then rejects with its last error.
 * @param options.isOfPush retried for `pushMs`, too
 */
export async function retrying<T>(
  policy: RetryPolicy,
  options: { repeatable: boolean; isOfPush?: boolean; signal?: AbortSignal; onRetry?: () => void },
  work: () => Promise<T>,
): Promise<T> {
  let failingSince: number | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      failingSince ??= performance.now()
      const isPatient = options.isOfPush === true && performance.now() - failingSince < policy.pushMs
      const attempts = isPatient ? Number.POSITIVE_INFINITY : policy.attempts
      const wait = waitAfter(error, attempt, { ...policy, attempts }, options.repeatable)
      if (wait === undefined) throw error
      options.onRetry?.()
      await sleep(wait, options.signal)
    }
  }
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
