/**
 * Request ids and the request log. The id is the caller's `X-Request-Id` or a new one; the answer and the log contain it. Each request gets
 * one log line, when it is answered or its caller disconnects.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { withoutMapping } from '@ulmus/registry'
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

/** Addresses of this machine and of private networks, where proxies are. */
const inner = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inner.addSubnet(network, bits)
inner.addAddress('::1', 'ipv6')
inner.addSubnet('fc00::', 7, 'ipv6')

/** Logs once that requests come through a proxy, while TRUST_PROXY names none: then all visitors count as one. */
export function hintAtProxy(app: FastifyInstance): void {
  let isLogged = false
  app.addHook('onRequest', async ({ headers, log, socket }) => {
    if (isLogged || headers['x-forwarded-for'] === undefined) return
    const peer = withoutMapping(socket.remoteAddress ?? '')
    if (!inner.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')) return
    isLogged = true
    log.warn(
      { peer },
      'Requests come through a proxy, but TRUST_PROXY is off: rate limits, the log and the audit log take all visitors for the proxy. Set TRUST_PROXY to its address.',
    )
  })
}
