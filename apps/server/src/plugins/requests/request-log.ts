/** A line in the log for every request, when it is answered or its caller has gone. */
import type { FastifyInstance } from 'fastify'

/** What an operator wants in it. */
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
    const [path = ''] = request.url.split('?', 1)
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
