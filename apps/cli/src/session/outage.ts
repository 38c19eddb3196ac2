/** Patience with a registry that is away: how long requests are retried, and what the terminal says meanwhile. */
import type { RetryPolicy } from '@ulmus/client'
import { usageError } from '../terminal/failure.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Default of `ULMUS_RETRY_SECONDS`. */
const secondsUsual = 120
/** A shorter outage is not worth a line. Milliseconds. */
const silentMs = 4_000

/** For answers that a command can do without. Seconds. */
export const brieflySeconds = 5

/**
 * Retries of a command: for `ULMUS_RETRY_SECONDS`, with one line for each outage, until the user interrupts it.
 * @param most longest retry, in seconds
 * @throws CommandError (usage)
 */
export function retryOf(
  terminal: Terminal,
  host: string,
  most = Number.POSITIVE_INFINITY,
): Partial<RetryPolicy> {
  const seconds = Math.min(secondsIn(terminal.env), most)
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    forMs: seconds * 1_000,
    signal: terminal.signal,
    onRetry: ({ message }, failingMs) => {
      const now = performance.now()
      // Requests under way at once fail together.
      if (failingMs < silentMs || now - toldAt < seconds * 1_000) return
      toldAt = now
      terminal.say(`Waiting for ${host}, up to ${seconds} seconds: ${message}`)
    },
  }
}

function secondsIn(env: NodeJS.ProcessEnv): number {
  const text = env['ULMUS_RETRY_SECONDS'] || String(secondsUsual)
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw usageError(`ULMUS_RETRY_SECONDS must be a whole number of seconds, such as 120; it is \`${text}\`.`)
}
