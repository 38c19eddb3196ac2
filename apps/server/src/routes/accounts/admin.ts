/** Routes of operators of the registry, below `/api/admin`. http-api §11. */
import type { FastifyPluginAsync } from 'fastify'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'

export const adminRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  const { operators } = registry
  serve(app, 'GET /api/admin/accounts', async (request, reply) =>
    linkPages(request, reply, await operators.accounts(request.principal, request.query)),
  )

  serve(app, 'PATCH /api/admin/accounts/:slug', async ({ principal, params, body }) => {
    await operators.change(principal, params.slug, body)
    return done
  })

  serve(app, 'DELETE /api/admin/accounts/:slug', async ({ principal, params, query }) =>
    operators.erase(principal, params.slug, { confirmed: query.confirm === 'true' }),
  )

  serve(app, 'POST /api/admin/collections/:owner/:slug/hide', async ({ principal, params, body }) => {
    await registry.moderation.hide(principal, params, body.reason)
    return done
  })

  serve(app, 'POST /api/admin/collections/:owner/:slug/show', async ({ principal, params }) => {
    await registry.moderation.show(principal, params)
    return done
  })

  serve(app, 'POST /api/admin/collections/:owner/:slug/open', async ({ principal, params, body }) =>
    registry.openings.open(principal, params, body.reason),
  )

  serve(app, 'GET /api/admin/reports', async (request, reply) =>
    linkPages(request, reply, await registry.reports.list(request.principal, request.query)),
  )

  serve(app, 'POST /api/admin/reports/:id/close', async ({ principal, params, body }) => {
    await registry.reports.close(principal, params.id, body)
    return done
  })

  serve(app, 'GET /api/admin/usage', async ({ principal }) => operators.usage(principal))

  serve(app, 'GET /api/admin/jobs', async ({ principal }) => operators.jobs(principal))

  serve(app, 'GET /api/admin/audit', async (request, reply) =>
    linkPages(request, reply, await operators.audit(request.principal, request.query)),
  )

  serve(app, 'POST /api/admin/accounts/:slug/identities', async ({ principal, params, body }) =>
    operators.linkIdentity(principal, params.slug, body),
  )

  serve(app, 'POST /api/admin/accounts/:slug/transfer', async ({ principal, params, body }) => ({
    collections: await operators.handOver(principal, params.slug, body),
  }))
}
