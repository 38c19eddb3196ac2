/** Principal of a request, derived once from its credential; every access check takes it as first argument. */
import type { Credential, Means } from '@ulmus/storage'
import { RegistryError } from './errors/errors.ts'
import type { TaskFor } from './work/task.ts'

export const scopes = ['read', 'write', 'admin'] as const
/** Scopes nest: admin ⊃ write ⊃ read. */
export type Scope = (typeof scopes)[number]

export interface Anonymous {
  readonly kind: 'anonymous'
  /** Network address of the request; undefined: this process asks. */
  readonly address?: string
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
  /** The request's credential, checked again when recording; null: the account acts by itself. */
  readonly credential: Credential | null
  /** When a key stops working. Null: never, or a session, whose end every use puts off. */
  readonly expiresAt: Date | null
  /** `public`: a member reads what everyone else would. Default: what the caller may. */
  readonly view?: 'public'
  /** With what it acts, for the audit log. Default: nothing that is known. */
  readonly means?: Means
}

export type Principal = Anonymous | Caller

/** An account that acts by itself: in the background, without its request. */
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

/** @param signal of the request: it ends the task, and the waiting for it, when its connection is closed */
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

/** The same signal, with a reason that is a refusal. */
function explained(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(closed())
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}
