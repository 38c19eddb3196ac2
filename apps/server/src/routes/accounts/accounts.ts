/** Accounts over HTTP. interface.md "Accounts and keys"; http-api §3. */
import type { FastifyPluginAsync } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const accountRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  serve(app, 'POST /api/accounts', async ({ principal, body }) =>
    registry.accounts.createOrg(principal, body),
  )

  serve(app, 'GET /api/accounts/me', async ({ principal }) => registry.accounts.own(principal))

  serve(app, 'GET /api/accounts/me/export', async (request, reply) => {
    const { principal } = request
    const pieces = await registry.accounts.export(principal)
    reply.type('application/json')
    reply.header('content-disposition', 'attachment; filename="account.json"')
    return reply.send(
      bytesFrom(request, registry.answers.stream(principal, goneOf(reply), 'records', pieces)),
    )
  })

  serve(app, 'GET /api/accounts/me/memberships', async (request, reply) =>
    linkPages(request, reply, await registry.members.membershipsOf(request.principal, request.query)),
  )

  serve(app, 'GET /api/accounts/:slug', async ({ params }) => registry.accounts.profile(params.slug))

  serve(app, 'PATCH /api/accounts/:slug', async ({ principal, params, body }) => {
    await registry.accounts.update(principal, params.slug, body)
    return done
  })

  serve(app, 'GET /api/accounts/:slug/settings', async ({ principal, params }) =>
    registry.accounts.settings(principal, params.slug),
  )

  serve(app, 'DELETE /api/accounts/:slug', async ({ principal, params }) => {
    await registry.accounts.remove(principal, params.slug)
    return done
  })

  serve(app, 'GET /api/accounts/:slug/usage', async ({ principal, params }) =>
    registry.accounts.usage(principal, params.slug),
  )
}
