/** Resolves the caller of a request from its credential, before reading the rest of the request. */
import { type Caller, demand, mayEnter, type Principal, type Registry, RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookie } from './session-cookie.ts'
import { demandSameSite } from './session-cookie.ts'

type Credentials = Pick<Registry, 'keys' | 'sessions'>

/** Callers by request; absent until a valid credential was checked. */
const callers = new WeakMap<FastifyRequest, Caller>()
/** Reason why a credential was refused, kept until the rate limit has counted the request. */
const refused = new WeakMap<FastifyRequest, unknown>()

/** Sets `request.principal`. An `Authorization` header, if present, is decisive. An ended session cookie only makes the caller anonymous. */
export function knowPrincipals(app: FastifyInstance, registry: Credentials, cookie: SessionCookie): void {
  app.decorateRequest('principal', {
    getter(this: FastifyRequest): Principal {
      return callers.get(this) ?? { kind: 'anonymous', address: this.ip }
    },
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.credentials === false) return
    const { authorization } = request.headers
    try {
      const caller =
        authorization === undefined
          ? await bySession(registry, cookie, request, reply)
          : await byKey(registry, authorization, request.ip)
      if (caller === undefined) return
      callers.set(request, caller)
      const end = registry.keys.soonEnding(caller)
      if (end !== undefined) reply.header('Ulmus-Key-Expires', end)
    } catch (error) {
      refused.set(request, error)
    }
  })
}

/**
 * Refuses callers without permission to enter: an invalid key everywhere, even where none is needed or no route exists; a write by cookie
 * from another site; a credential weaker than the route declares. Register it after the rate limit, so that guesses count.
 */
export function admitCallers(app: FastifyInstance, origin: () => string): void {
  app.addHook('onRequest', async (request) => {
    if (refused.has(request)) throw refused.get(request)
    if (request.principal.kind === 'session') demandSameSite(request, origin())
    const { entrance } = request.routeOptions.config
    if (entrance !== undefined) demand(mayEnter(request.principal, entrance), { needed: entrance.scope })
  })
}

/** RFC 6750 §2.1. The name of the scheme is case-insensitive (RFC 9110 §11.1). */
async function byKey(registry: Credentials, authorization: string, address: string): Promise<Caller> {
  const key = /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1]
  if (key !== undefined) return registry.keys.resolve(key, address)
  const reason = 'The `Authorization` header must be `Bearer ul_…`, with an API key.'
  throw new RegistryError('unauthenticated', { say: { reason } })
}

async function bySession(
  registry: Credentials,
  cookie: SessionCookie,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller | undefined> {
  const token = cookie.read(request)
  if (token === undefined) return undefined
  const session = await registry.sessions.resolve(token, request.ip)
  if (session?.extendedTo !== undefined) cookie.set(reply, token, session.extendedTo)
  return session?.caller
}
