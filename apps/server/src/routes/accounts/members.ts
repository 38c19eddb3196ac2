/** Members of organizations over HTTP. http-api §3. */
import type { FastifyPluginAsync } from 'fastify'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const memberRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  serve(app, 'GET /api/accounts/:slug/members', async (request, reply) => {
    const { principal, params, query } = request
    return linkPages(request, reply, await registry.members.list(principal, params.slug, query))
  })

  serve(app, 'PUT /api/accounts/:slug/members/:user', async ({ principal, params, body }, reply) => {
    const invited = await registry.members.set(principal, params, body.role)
    if (invited === undefined) return done
    reply.code(202)
    return { ...invited, url: `${origin()}/invitations/${invited.token}` }
  })

  serve(app, 'DELETE /api/accounts/:slug/members/:user', async ({ principal, params }) => {
    await registry.members.remove(principal, params)
    return done
  })
}
