/** Who is asking. Made once a request from its credential; everything that decides takes it as its first argument. */

export const scopes = ['read', 'write', 'admin'] as const
/** Scopes nest: admin ⊃ write ⊃ read. */
export type Scope = (typeof scopes)[number]

export interface Anonymous {
  readonly kind: 'anonymous'
}

export interface Caller {
  readonly kind: 'session' | 'key'
  /** Always a user: organizations cannot sign in. */
  readonly accountId: string
  readonly accountSlug: string
  /** A session counts as `admin`. */
  readonly scope: Scope
  /** Id of the one collection a limited key is good for; null when it is not limited. */
  readonly limitedTo: string | null
  /** When a key stops working. Null: never, or a session, whose end every use puts off. */
  readonly expiresAt: Date | null
}

export type Principal = Anonymous | Caller

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' })
