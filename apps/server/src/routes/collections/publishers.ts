/** Trusted publishers over HTTP. http-api §14. */
import type { FastifyPluginAsync } from 'fastify'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const publisherRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  const { publishing } = registry
  serve(app, 'GET /api/collections/:owner/:slug/publishers', async ({ principal, params }) =>
    publishing.list(principal, params),
  )

  serve(app, 'POST /api/collections/:owner/:slug/publishers', async ({ principal, params, body }) =>
    publishing.create(principal, params, body),
  )

  serve(app, 'GET /api/collections/:owner/:slug/publishers/:id', async ({ principal, params }) =>
    publishing.get(principal, params, params.id),
  )

  serve(app, 'PATCH /api/collections/:owner/:slug/publishers/:id', async ({ principal, params, body }) =>
    publishing.change(principal, params, params.id, body),
  )

  serve(app, 'DELETE /api/collections/:owner/:slug/publishers/:id', async ({ principal, params }) => {
    await publishing.remove(principal, params, params.id)
    return done
  })
}
