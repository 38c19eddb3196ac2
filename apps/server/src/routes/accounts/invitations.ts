/** Invitations to organizations, and the answers to those to collections, over HTTP. http-api §11. */
import type { FastifyPluginAsync } from 'fastify'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const invitationRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  serve(app, 'POST /api/accounts/:slug/invitations', async ({ principal, params, body }) => {
    const made = await registry.invitations.create(principal, params.slug, body)
    return { ...made, url: `${origin()}/invitations/${made.token}` }
  })

  serve(app, 'GET /api/accounts/:slug/invitations', async ({ principal, params }) =>
    registry.invitations.list(principal, params.slug),
  )

  serve(app, 'DELETE /api/accounts/:slug/invitations/:id', async ({ principal, params }) => {
    await registry.invitations.remove(principal, params.slug, params.id)
    return done
  })

  serve(app, 'GET /api/accounts/me/invitations', async ({ principal }) => registry.invitations.own(principal))

  serve(app, 'POST /api/invitations/:token', async ({ principal, params, body }) =>
    registry.invitations.answer(principal, params.token, body.accept),
  )
}
