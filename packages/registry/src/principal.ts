/** Principal of a request, derived once from its credential; the first argument of every access check. */
import type { Credential, Means } from '@ulmus/storage'
import { RegistryError } from './errors/errors.ts'
import type { TaskFor } from './work/task.ts'

/** The names are public and stored: those of packages/wire/src/keys.ts and of the database's tables must be the same. */
export const scopes = ['read', 'write', 'admin'] as const
/** Scopes nest: admin ⊃ write ⊃ read. */
export type Scope = (typeof scopes)[number]

/** A request without a credential. Its address counts for rate limits and memory budgets. */
export interface Anonymous {
  readonly kind: 'anonymous'
  /** Network address of the request; undefined for calls by this process. */
  readonly address?: string
}

/**
 * An authenticated request, or an account that acts in the background (`actingAccount`). Roles are not in it: look-ups read them
 * for each request.
 */
export interface Caller {
  readonly kind: 'session' | 'key'
  /** A user, since organizations cannot sign in; of a job of a trusted publisher, the owner of its collection. */
  readonly accountId: string
  readonly accountSlug: string
  /** A session counts as `admin`. */
  readonly scope: Scope
  /** Ids of the collections that a limited key works for; null if the key is not limited. */
  readonly limitedTo: readonly string[] | null
  /** The request's credential, checked again in the recording transaction; null if the account acts in the background. */
  readonly credential: Credential | null
  /** Expiry of a key. Null for a key without one, and for a session, which each use extends. */
  readonly expiresAt: Date | null
  /** The key's role at most, whatever the account has: `RoleCap` of access/policy.ts. Default: no limit. */
  readonly roleCap?: 'member'
  /** `public`: show a member the public view. Default: the widest permitted view. */
  readonly view?: 'public'
  /** Means of the act, for the audit log. Default: unknown. */
  readonly means?: Means
}

export type Principal = Anonymous | Caller

/** Key for counting a caller's requests. Jobs are counted by publisher, or they could use up the owner's rate limit. */
export const countedAs = ({ accountId, means }: Caller): string => means?.workload?.publisher ?? accountId

/** An account that acts in the background, without a request. */
export const actingAccount = (accountId: string, means: Means = {}): Caller => ({
  ...{ kind: 'session', accountId, accountSlug: '', scope: 'admin', limitedTo: null },
  ...{ credential: null, expiresAt: null, means },
})

export const meansOf = (who: Principal): Means => {
  if (who.kind !== 'anonymous') return who.means ?? {}
  return who.address === undefined ? {} : { address: who.address }
}

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' })

/** @throws unauthenticated */
export function demandCaller(who: Principal): Caller {
  if (who.kind === 'anonymous') throw new RegistryError('unauthenticated')
  return who
}

/** @param signal of the request; a closed connection ends the task, or its place in the queue */
export const taskFor = (who: Principal, signal?: AbortSignal): TaskFor => ({
  owner: who.kind === 'anonymous' ? '' : who.accountId,
  signal: signal && explained(signal),
})

/** Reason for aborting; no client receives it. */
const closed = () =>
  new RegistryError('invalid_request', {
    say: { reason: 'The connection was closed before the request was answered.' },
    details: { issues: [] },
  })

/** The same signal, with a refusal as its reason. */
function explained(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(closed())
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}
