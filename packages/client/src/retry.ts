/** Retries of requests, and the waits between them. */
import { UlmusError } from './errors.ts'

export interface RetryPolicy {
  /**
   * Each request is retried for this long after its first failure: a failover of the registry's database may take a minute.
   * Milliseconds, default 120,000.
   */
  readonly forMs: number
  /** Maximum number of attempts within `forMs`, including the first. At least 1, default: no limit. */
  readonly attempts: number
  /** Wait before the second attempt; doubles with each further one. Milliseconds, default 200. */
  readonly delayMs: number
  /** Longest wait, except for a `Retry-After`. Milliseconds, default 10,000. */
  readonly delayMsMax: number
  /** Longest accepted `Retry-After`; a longer one ends the attempts. Milliseconds, default 120,000. */
  readonly retryAfterMsMax: number
  /** Once it is aborted, no request is retried, and waits end. Requests under way continue. */
  readonly signal?: AbortSignal | undefined
  /** Called before the wait that follows a failure. @param failingMs time since the first failure of this request */
  readonly onRetry?: ((failure: UlmusError, failingMs: number) => void) | undefined
}

/** Defaults of `RetryPolicy`. */
export const usualRetry: RetryPolicy = Object.freeze({
  forMs: 120_000,
  attempts: Number.POSITIVE_INFINITY,
  delayMs: 200,
  delayMsMax: 10_000,
  retryAfterMsMax: 120_000,
})

/** Codes of Node for certificates and protocols that do not fit. No wait mends them. */
const lasting = /^(?:CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** Codes of Node for requests that were never sent. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Code of the system below a failure of `fetch`; empty if there is none. */
const systemCode = ({ cause }: UlmusError): string => {
  const below = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  const { code } = (below ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/**
 * True if a retry can help. After 429, or without a connection, the request was not processed, so any may be retried; after a broken
 * connection, 502, 503 or 504 it may have taken effect, so only a repeatable one is retried.
 */
function isPassing(error: unknown, repeatable: boolean): error is UlmusError {
  if (!(error instanceof UlmusError)) return false
  if (error.status === 429) return true
  if (error.status !== 0) return repeatable && [502, 503, 504].includes(error.status)
  const code = systemCode(error)
  return !lasting.test(code) && (repeatable || unsent.has(code))
}

/**
 * Wait after attempt number `attempt` (the first is 1), in milliseconds: a random part, at least half, of a doubling delay, so that many
 * clients do not return at once, but never less than the answer's `Retry-After`. Undefined: give up.
 */
export function waitAfter(
  error: unknown,
  { attempt, failingMs }: { attempt: number; failingMs: number },
  policy: RetryPolicy,
  repeatable: boolean,
): number | undefined {
  if (attempt >= policy.attempts || failingMs >= policy.forMs || !isPassing(error, repeatable))
    return undefined
  const full = Math.min(policy.delayMsMax, policy.delayMs * 2 ** (attempt - 1))
  const own = full * (0.5 + Math.random() / 2)
  const asked = error.retryAfterMs ?? 0
  return asked > policy.retryAfterMsMax ? undefined : Math.max(own, asked)
}

/** Counts the failures in a row of one request, and waits between its attempts. */
export class Failures {
  readonly #policy: RetryPolicy
  #attempt = 0
  #since = 0

  constructor(policy: RetryPolicy) {
    this.#policy = policy
  }

  /** Begins again: the server has answered. */
  end(): void {
    this.#attempt = 0
  }

  /** Resolves when the next attempt is due. @param onRetry called before the wait @throws `error` if no attempt is left; the signal's reason */
  async wait(
    error: unknown,
    options: { repeatable: boolean; signal?: AbortSignal | undefined; onRetry?: (() => void) | undefined },
  ): Promise<void> {
    if (this.#attempt++ === 0) this.#since = performance.now()
    const failingMs = performance.now() - this.#since
    const wait = waitAfter(error, { attempt: this.#attempt, failingMs }, this.#policy, options.repeatable)
    if (wait === undefined) throw error
    options.onRetry?.()
    this.#policy.onRetry?.(error as UlmusError, failingMs)
    const signals = [options.signal, this.#policy.signal].filter((signal) => signal !== undefined)
    await sleep(wait, AbortSignal.any(signals))
  }
}

/** Runs `work` until it succeeds, fails for good, or its time is over; then rejects with its last error. */
export async function retrying<T>(
  policy: RetryPolicy,
  options: Parameters<Failures['wait']>[1],
  work: () => Promise<T>,
): Promise<T> {
  const failures = new Failures(policy)
  for (;;) {
    try {
      return await work()
    } catch (error) {
      await failures.wait(error, options)
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
