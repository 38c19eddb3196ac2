/** Events over HTTP. http-api §12. */
import type { FastifyPluginAsync } from 'fastify'
import { leaving } from '../plugins/answers/leaving.ts'
import type { RouteOptions } from './options.ts'
import { serve } from './serve.ts'

export const eventRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  // Before the server waits for open requests.
  app.addHook('preClose', async () => registry.events.close())

  serve(app, 'GET /api/events', async (request, reply) => {
    const { events, next } = await registry.events.list(request.principal, request.query, leaving(reply))
    // Else the server would wait for the connection, which is idle only after this answer.
    if (registry.events.isClosed()) reply.header('connection', 'close')
    return { events, next }
  })
}
