/**
 * Rate limits: per account with a credential, per address without (for IPv6 its /64 network, which one machine owns). Sign-in has a limit
 * of its own, so that readers at an address do not block its users from signing in; reports have one, since people read them. Windows are minutes of the clock; servers on one
 * database share the counts.
 */
import { countedAs, type Principal, peerOf, RegistryError, type RequestRates } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

export interface RateLimits {
  /** Requests a minute of one address without a credential. */
  readonly anonymous: number
  /** Requests a minute of one account, whatever credentials it uses. */
  readonly account: number
  /** Sign-in requests a minute of one address. One sign-in takes two; with the built-in provider some ten. */
  readonly signIn: number
  /** Reports of collections a minute of one account, or of one address without a credential. */
  readonly reports: number
}

/** Register it after `knowPrincipals`. Answers carry `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds). */
export function limitRates(app: FastifyInstance, rates: RequestRates, limits: RateLimits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { limited } = request.routeOptions.config
    if (limited === false) return
    const { principal } = request
    const kind = kindOf(limited, principal)
    const name = principal.kind === 'anonymous' ? peerOf(request.ip) : countedAs(principal)
    const { isOver, remaining, resetSeconds } = rates.count(kind, name, limits[kind])
    reply
      .header('RateLimit-Limit', limits[kind])
      .header('RateLimit-Remaining', remaining)
      .header('RateLimit-Reset', resetSeconds)
    if (isOver) throw new RegistryError('rate_limited', { say: { retryAfter: resetSeconds } })
  })
}

function kindOf(limited: 'sign-in' | 'reports' | undefined, { kind }: Principal): keyof RateLimits {
  if (limited === 'reports') return 'reports'
  if (kind !== 'anonymous') return 'account'
  return limited === 'sign-in' ? 'signIn' : 'anonymous'
}
