/** API keys over HTTP. interface.md "Accounts and keys"; http-api §3. */
import type { FastifyPluginAsync } from 'fastify'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const keyRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  serve(app, 'POST /api/accounts/keys', async ({ principal, body }) => registry.keys.create(principal, body))

  serve(app, 'GET /api/accounts/keys', async ({ principal }) => registry.keys.list(principal))

  serve(app, 'DELETE /api/accounts/keys/:id', async ({ principal, params }) => {
    await registry.keys.revoke(principal, params.id)
    return done
  })
}
