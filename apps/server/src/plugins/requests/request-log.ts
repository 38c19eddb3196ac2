/**
 * Request ids and the request log. The id is the caller's `X-Request-Id` or a new one; the answer and the log contain it. Each request gets
 * one log line, when it is answered or its caller disconnects.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Settings by the operator. */
export interface RequestLog {
  /** False: the lines are at level `debug`. */
  readonly requests: boolean
  readonly accounts: boolean
  readonly addresses: boolean
}

/** Longer paths are cut. Characters. */
const pathCharactersMax = 500

/** Logs no query, because sign-in codes are in queries, and no headers or bodies. Probes are logged at level `debug`. */
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

/** Masks the tokens of invitation links, which work for any holder. */
function pathOf({ url, params }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  const hasToken = typeof params === 'object' && params !== null && 'token' in params
  return hasToken ? path.replace(/[^/]*$/, ':token') : path
}

/** Short and plain ids are accepted unchanged, so that headers and logs stay safe. */
const acceptable = /^[\w.:+/=-]{1,128}$/

/** Id of a request. */
export function nameRequest(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

export function nameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
  })
}
