/**
 * Refusals: the errors that services throw for callers, and their form in rows. The folder refusals/ of the wire package declares each
 * code. Services know no HTTP: apps/server renders refusals.
 */
import { isStorageFull, isUnavailable, ObjectCorruptError } from '@ulmus/storage'
import type { RefusalCode } from '@ulmus/wire'
import { type Facts, type RefusalKind, refusals, sentenceOf } from '@ulmus/wire/refusals'

/** A refusal. Its sentence uses `details` and `say`; the answer includes only `details`. */
export class RegistryError extends Error {
  readonly code: RefusalCode
  readonly kind: RefusalKind
  /** Members of the error body beside error, code and statusCode. */
  readonly details: Facts
  /** `Retry-After` of the answer. Seconds. */
  readonly retryAfter: number | undefined

  constructor(code: RefusalCode, options: { say?: Facts; details?: Facts; cause?: unknown } = {}) {
    super(sentenceOf(code, { ...options.details, ...options.say }), { cause: options.cause })
    this.name = 'RegistryError'
    this.code = code
    this.kind = refusals[code].kind
    this.details = options.details ?? {}
    this.retryAfter = options.say?.['retryAfter'] as number | undefined
  }

  /** Restores a stored refusal with its original text. */
  static restored(stored: StoredRefusal): RegistryError {
    const refusal = new RegistryError(stored.code, { details: stored.details })
    refusal.message = stored.error
    return refusal
  }
}

/** A refusal as rows of metadata updates and push sessions store it, in JSON, to be answered later in the same words. */
export interface StoredRefusal {
  readonly error: string
  readonly code: RefusalCode
  readonly details: Record<string, unknown>
}

/** The stored form of a refusal; `RegistryError.restored` reads it. */
export const storedRefusal = (refusal: RegistryError): StoredRefusal => ({
  error: refusal.message,
  code: refusal.code,
  details: refusal.details,
})

/** The requested account or collection has another address now (a former slug). Thrown only to callers who may see it. */
export class MovedError extends Error {
  readonly to: { owner: string; slug?: string }

  constructor(to: { owner: string; slug?: string }) {
    super('moved')
    this.name = 'MovedError'
    this.to = to
  }
}

/** Throws a refusal of `policy.ts`; accepts `ok`. */
export function demand(answer: 'ok' | RefusalCode, say: Facts = {}): void {
  if (answer !== 'ok') throw new RegistryError(answer, { say })
}

/** Returns refusals unchanged; maps damage and an unreachable store to their codes, and unexpected errors to `internal`. */
export function refusalOf(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error
  if (error instanceof ObjectCorruptError) {
    return new RegistryError('object_corrupt', { details: { hash: error.hash }, cause: error })
  }
  if (isStorageFull(error)) return new RegistryError('storage_full', { cause: error })
  return new RegistryError(isUnavailable(error) ? 'unavailable' : 'internal', { cause: error })
}
