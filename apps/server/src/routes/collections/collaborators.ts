/** Collaborators of collections over HTTP. http-api §16. */
import type { FastifyPluginAsync } from 'fastify'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const collaboratorRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  const { collaborators } = registry
  serve(app, 'GET /api/collections/:owner/:slug/access', async ({ principal, params }) =>
    collaborators.access(principal, params),
  )

  serve(app, 'GET /api/collections/:owner/:slug/collaborators', async ({ principal, params }) =>
    collaborators.list(principal, params),
  )

  const one = '/api/collections/:owner/:slug/collaborators/:user' as const
  serve(app, `PUT ${one}`, async ({ principal, params, body }, reply) => {
    const invited = await collaborators.set(principal, params, body.grant)
    if (invited === undefined) return done
    reply.code(202)
    return { ...invited, url: `${origin()}/invitations/${invited.token}` }
  })

  serve(app, `DELETE ${one}`, async ({ principal, params }) => {
    await collaborators.remove(principal, params)
    return done
  })
}
