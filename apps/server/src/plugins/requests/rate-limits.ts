/**
 * Rate limits: per account with a credential, per address without (for IPv6 its /64 network, which one machine owns). Sign-in has a limit
 * of its own, so that readers at an address do not block its users from signing in. Windows are minutes of the clock; servers on one
 * database share the counts.
 */
import { countedAs, RegistryError, type RequestRates } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'
import { peerOf } from './connections.ts'

export interface RateLimits {
  /** Requests a minute of one address without a credential. */
  readonly anonymous: number
  /** Requests a minute of one account, whatever credentials it uses. */
  readonly account: number
  /** Sign-in requests a minute of one address. One sign-in takes two; with the built-in provider some ten. */
  readonly signIn: number
}

/** Register it after `knowPrincipals`. Answers carry `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds). */
export function limitRates(app: FastifyInstance, rates: RequestRates, limits: RateLimits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { limited } = request.routeOptions.config
    if (limited === false) return
    const { principal } = request
    const kind = principal.kind !== 'anonymous' ? 'account' : limited === 'sign-in' ? 'signIn' : 'anonymous'
    const name = principal.kind === 'anonymous' ? peerOf(request.ip) : countedAs(principal)
    const { isOver, remaining, resetSeconds } = rates.count(kind, name, limits[kind])
    reply
      .header('RateLimit-Limit', limits[kind])
      .header('RateLimit-Remaining', remaining)
      .header('RateLimit-Reset', resetSeconds)
    if (isOver) throw new RegistryError('rate_limited', { say: { retryAfter: resetSeconds } })
  })
}
