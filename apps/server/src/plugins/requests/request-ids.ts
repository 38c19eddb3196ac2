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
}
