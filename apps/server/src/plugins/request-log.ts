/** A line in the log for every request, when it is answered or its caller has gone. */
import type { FastifyInstance } from 'fastify'

/** What of it an operator wants to keep. */
export interface RequestLog {
  /** False: the lines are at level `debug`. */
  readonly requests: boolean
  readonly accounts: boolean
  readonly addresses: boolean
}

/** Longer ones are cut. Characters. */
const pathCharactersMax = 500

/** Never a query, which a sign-in's code is in, nor anything of headers and bodies. What asks whether the server lives is at level `debug`. */
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
