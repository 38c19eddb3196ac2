/**
 * How often one may ask: per account with a credential, per address (of IPv6 the first 64 bits, which one machine has all of) without, and for signing in apart from that, so that those who read
 * from an address do not keep its people from signing in. Fixed windows of a minute, in this process.
 */
import rateLimit from '@fastify/rate-limit'
import { RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { peerOf } from './connections.ts'

export interface RateLimits {
  /** Requests a minute of one address without a credential. */
  readonly anonymous: number
  /** Requests a minute of one account, whatever credentials it uses. */
  readonly account: number
  /** Requests a minute of one address to sign in. One sign-in is two, with the built-in provider some ten. */
  readonly signIn: number
}

const windowSeconds = 60
/** How many addresses and accounts are remembered at most; the least recent are forgotten first. */
const rememberedMax = 50_000

/** Comes after `knowPrincipals`. Answers carry `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (seconds). */
export async function limitRates(app: FastifyInstance, limits: RateLimits): Promise<void> {
  await app.register(rateLimit, { global: false, cache: rememberedMax })
  const countAnonymous = app.createRateLimit({
    max: limits.anonymous,
    timeWindow: windowSeconds * 1000,
    keyGenerator: (request: FastifyRequest) => peerOf(request.ip),
  })
  const countAccount = app.createRateLimit({
    max: limits.account,
    timeWindow: windowSeconds * 1000,
    keyGenerator: (request: FastifyRequest) =>
      request.principal.kind === 'anonymous' ? peerOf(request.ip) : request.principal.accountId,
  })
  const countSignIn = app.createRateLimit({
    max: limits.signIn,
    timeWindow: windowSeconds * 1000,
    keyGenerator: (request: FastifyRequest) => peerOf(request.ip),
  })
  app.addHook('onRequest', async (request, reply) => {
    const { limited } = request.routeOptions.config
    if (limited === false) return
    const isAnonymous = request.principal.kind === 'anonymous'
    const anonymously = limited === 'sign-in' ? countSignIn : countAnonymous
    const count = await (isAnonymous ? anonymously : countAccount)(request)
    if (count.isAllowed) return
    reply
      .header('RateLimit-Limit', count.max)
      .header('RateLimit-Remaining', count.remaining)
      .header('RateLimit-Reset', count.ttlInSeconds)
    if (!count.isExceeded) return
    reply.header('Retry-After', count.ttlInSeconds)
    throw new RegistryError('rate_limited', { say: { retryAfter: count.ttlInSeconds } })
  })
}
