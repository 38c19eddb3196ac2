/** Errors of failed calls: `UlmusError`, whose `code` is for programs, and `BatchRefused` for lines of a push. */
import { parseJson } from '@ulmus/content'
import type { ErrorBody, Issue, ValidationError } from '@ulmus/wire'
import type { ErrorCode } from './codes.ts'

/** The most useful members of an error body; `body` contains all others as well. */
export type ErrorFacts = Partial<ErrorBody> & {
  validationErrors?: ValidationError[]
  totalErrors?: number
  filesNeeded?: string[]
  currentVersion?: string | null
  job_id?: string
  issues?: Issue[]
}

/**
 * A refusal by the registry, or a request without an answer.
 *
 * - `status`: the HTTP status; 0 without an answer (network failure, timeout, an answer that broke off).
 * - `code`: the registry's stable code (docs/errors.md); `network` with status 0; `redirected` for a redirect that is not followed;
 *   `answer_too_large` for an answer larger than any registry sends; `wrong_answer` for one about something else than was asked for; `http_<status>` for an answer that is not from a registry but,
 *   for example, from a proxy.
 * - `body`: the answer's JSON object, empty if it has none.
 */
export class UlmusError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly body: ErrorFacts
  /** Wait before a retry that the answer asks for. Milliseconds; undefined if it asks for none. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    facts: { status: number; code: ErrorCode; body?: ErrorFacts; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, { cause: facts.cause })
    this.name = 'UlmusError'
    this.status = facts.status
    this.code = facts.code
    this.body = facts.body ?? {}
    this.retryAfterMs = facts.retryAfterMs
  }

  /** Creates the error from an error body, as in a failed job or push session. */
  static fromBody(
    body: ErrorFacts,
    status: number = body.statusCode ?? 0,
    retryAfterMs?: number,
  ): UlmusError {
    const code = (body.code as ErrorCode | undefined) ?? (`http_${status}` as const)
    const message = `${body.error_description ?? body.error ?? `The server answered ${status}.`}${firstOf(body)}`
    return new UlmusError(message, { status, code, body, retryAfterMs })
  }
}

/** Maximum of refused lines that a message lists. */
const namedMax = 3

/** End of a message: the first refused lines or records. @param linesBefore added to their line numbers */
function firstOf({ validationErrors = [], totalErrors }: ErrorFacts, linesBefore = 0): string {
  if (!Array.isArray(validationErrors) || validationErrors.length === 0) return ''
  const named = validationErrors.slice(0, namedMax).map((fault) => {
    const line = typeof fault.line === 'number' ? [`line ${fault.line + linesBefore}`] : []
    const name = fault.id === null ? [] : [`${fault.type} ${JSON.stringify(fault.id)}`]
    const { errors = [], message = fault.code } = fault
    const why = errors.map((one) => `${one.path} ${one.message}`.trim()).join('; ') || message
    return `\n  ${[...line, ...name].join(', ')}: ${why}`
  })
  const more = (typeof totalErrors === 'number' ? totalErrors : validationErrors.length) - named.length
  return `${named.join('')}${more > 0 ? `\n  and ${more} more` : ''}`
}

/** Content of a batch: records, records to remove, or entries of a snapshot's manifest. */
export type LineKind = 'records' | 'deletes' | 'manifest'

/**
 * A batch of a push that the registry refused; nothing of the push is published. The `line` numbers in `body.validationErrors`
 * count from 1 after the first `linesBefore` lines of `kind`. For a snapshot's records, only lines that were sent count.
 */
export class BatchRefused extends UlmusError {
  readonly kind: LineKind
  readonly linesBefore: number

  constructor(refusal: UlmusError, kind: LineKind, linesBefore: number) {
    super(`${refusal.body.error ?? refusal.message}${firstOf(refusal.body, linesBefore)}`, {
      status: refusal.status,
      code: refusal.code,
      body: refusal.body,
      retryAfterMs: refusal.retryAfterMs,
      cause: refusal,
    })
    this.name = 'BatchRefused'
    this.kind = kind
    this.linesBefore = linesBefore
  }
}

/** Error of an unsuccessful answer. `text`: its body. */
export function errorFromAnswer(response: Response, text: string): UlmusError {
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now())
  return UlmusError.fromBody(parseFacts(text), response.status, retryAfterMs)
}

function parseFacts(text: string): ErrorFacts {
  try {
    const body: unknown = parseJson(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
  } catch {
    return {}
  }
}

/** Converts `Retry-After`, seconds or an HTTP date (RFC 9110 §10.2.3), to milliseconds from `now`; undefined if it is neither. */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
