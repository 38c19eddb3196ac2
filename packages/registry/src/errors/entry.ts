/** Form of the entries in `catalogue.ts` and `of-pushes.ts`. */

/** Kind of a refusal. A new kind needs an HTTP status in `apps/server/src/plugins/answers/errors.ts`. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'gone'
  | 'unsupported_method'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media'
  | 'unsatisfiable'
  | 'unacceptable'
  | 'limited'
  | 'unavailable'
  | 'unsupported'
  | 'full'
  | 'corrupt'

/** Values for the message of an error. */
export type Facts = Record<string, unknown>
export interface CatalogueEntry {
  readonly kind: RefusalKind
  readonly say: (facts: Facts) => string
}

export const entry = (kind: RefusalKind, say: string | ((facts: Facts) => string)): CatalogueEntry => ({
  kind,
  say: typeof say === 'string' ? () => say : say,
})
