/**
 * A name for every request, in its answer and in the log: the caller's own `X-Request-Id`, or one made here. A line in the log for each,
 * when it is answered or its caller has gone.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Settings of the operator. */
export interface RequestLog {
  /** False: the lines are at level `debug`. */
  readonly requests: boolean
  readonly accounts: boolean
  readonly addresses: boolean
}

/** Longer ones are cut. Characters. */
const pathCharactersMax = 500

/** Logs no query, because sign-in codes are in queries, and nothing of headers or bodies. Probes are logged at level `debug`. */
export function logRequests(app: FastifyInstance, { requests, accounts, addresses }: RequestLog): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, principal, routeOptions } = request
    const path = pathOf(request)
    const account = principal.kind === 'anonymous' ? null : principal.accountSlug
    const facts = {
      method,
      path: path.slice(0, pathCharactersMax),
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      ...(accounts && { account }),
      ...(addresses && { address: request.ip }),
    }
    const isProbe = routeOptions.config.limited === false
    request.log[requests && !isProbe ? 'info' : 'debug'](facts, 'answered')
  })
}

/** Without tokens of invitation links, which work for any holder. */
function pathOf({ url, params }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  const hasToken = typeof params === 'object' && params !== null && 'token' in params
  return hasToken ? path.replace(/[^/]*$/, ':token') : path
}

/** Taken as it is when it is short and plain, so that nothing strange enters headers or logs. */
const acceptable = /^[\w.:+/=-]{1,128}$/

export function nameRequest(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

export function nameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
  })
}
