/** Events over HTTP. http-api §12. */
import type { FastifyPluginAsync } from 'fastify'
import { leaving } from '../plugins/answers/leaving.ts'
import type { RouteOptions } from './options.ts'
import { serve } from './serve.ts'

export const eventRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  // Before the server waits for open requests.
  app.addHook('preClose', async () => registry.events.close())

  serve(app, 'GET /api/events', async (request, reply) => {
    const { events, next } = await registry.events.list(request.principal, request.query, leaving(reply))
    // Else the server would wait for the connection, which is idle only after this answer.
    if (registry.events.isClosed()) reply.header('connection', 'close')
    const shown = events.map((event) => {
      const { owner, slug } = event.collection
      const collection = `${origin()}/api/collections/${owner}/${slug}`
      return {
        ...event,
        url: event.semver === undefined ? collection : `${collection}/versions/${event.semver}`,
      }
    })
    return { events: shown, next }
  })
}
