/** An entry of the catalogue of refusals: its kind and its sentence. */

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
  | 'full'
  | 'corrupt'

export type Facts = Record<string, unknown>
export interface Entry {
  readonly kind: RefusalKind
  readonly say: (facts: Facts) => string
}

export const entry = (kind: RefusalKind, say: string | ((facts: Facts) => string)): Entry => ({
  kind,
  say: typeof say === 'string' ? () => say : say,
})
