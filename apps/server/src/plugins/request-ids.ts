/** A name for every request, in its answer and in the log: the caller's own `X-Request-Id`, or one made here. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

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
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern instead of the path: the query of a sign-in holds a code, and paths name private things.
    const { method, routeOptions } = request
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    request.log.debug({ method, route: routeOptions.url, status: reply.statusCode, milliseconds }, 'answered')
  })
}
