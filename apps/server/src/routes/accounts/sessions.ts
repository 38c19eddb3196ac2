/** Routes that list and end the browser sessions of an account. */
import type { FastifyPluginAsync } from 'fastify'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const browserSessionRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  serve(app, 'GET /api/accounts/me/sessions', async ({ principal }) => registry.sessions.list(principal))

  serve(app, 'DELETE /api/accounts/me/sessions', async ({ principal }) => {
    await registry.sessions.endOthers(principal)
    return done
  })

  serve(app, 'DELETE /api/accounts/me/sessions/:id', async ({ principal, params }) => {
    await registry.sessions.endOne(principal, params.id)
    return done
  })
}
