/**
 * Form of a refusal's declaration, and the HTTP status of each kind. A refusal is declared once, in the file of its noun; the code is its
 * key. Types, statuses, sentences, the API description and docs/errors.md derive from it. Never rename a code.
 */
import type { z } from 'zod'
import type { Issue, ValidationError } from '../faults.ts'
import type { Instant } from '../text.ts'

/** HTTP status by kind of refusal. */
export const statusOfKind = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  unsupported_method: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  unsatisfiable: 416,
  unacceptable: 422,
  limited: 429,
  corrupt: 500,
  unsupported: 501,
  unavailable: 503,
  full: 507,
} as const

export type RefusalKind = keyof typeof statusOfKind

/** Values for the sentence of a refusal. */
export type Facts = Readonly<Record<string, unknown>>

/** Shapes for the members of a refusal. They are passed, since the registry's threads load this folder and must start without zod. */
export interface Shapes {
  readonly z: typeof z
  readonly Issue: typeof Issue
  readonly ValidationError: typeof ValidationError
  readonly Instant: typeof Instant
}

export interface Refusal {
  readonly kind: RefusalKind
  /** Message for people: the fault and its remedy. It may change; programs act on the code. */
  readonly sentence: string | ((facts: Facts) => string)
  /** One clause for the API description, without a period. */
  readonly meaning: string
  /** Paragraphs for docs/errors.md, in Markdown. Default: the meaning. */
  readonly explanation?: string | readonly string[]
  /** Remedy for docs/errors.md, in Markdown. */
  readonly remedy: string
  /**
   * Members of the error body that this code adds; all are optional. The API description names the code before the description of each.
   * Codes that share a member declare it alike, with a description each.
   */
  readonly members?: (shapes: Shapes) => Readonly<Record<string, z.ZodType>>
  /** Facts of the example in the API description: `details` are members of its body, `say` only parts of its sentence. */
  readonly example?: { readonly details?: Facts; readonly say?: Facts }
}
