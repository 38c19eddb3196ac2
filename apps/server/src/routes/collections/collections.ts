/** Collections over HTTP. interface.md "Collections"; http-api §4. */
import type { Collection } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { textIn } from '../../plugins/shapes.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

export const collectionRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  const { collections } = registry
  serve(
    app,
    'GET /api/collections',
    async (request, reply) => linkPages(request, reply, await collections.browse(request.query)),
    { repeated: true },
  )

  serve(app, 'GET /api/collections/facets', async ({ query }) => collections.facets(query), {
    repeated: true,
  })

  serve(app, 'GET /api/accounts/me/collections', async (request, reply) =>
    linkPages(request, reply, await collections.mine(request.principal, request.query)),
  )

  serve(
    app,
    'GET /api/accounts/:owner/collections',
    async (request, reply) => {
      const { principal, params, query } = request
      return linkPages(request, reply, await collections.list(principal, params.owner, query))
    },
    { repeated: true },
  )

  serve(app, 'POST /api/accounts/:owner/collections', async ({ principal, params, body }) =>
    collections.create(principal, params.owner, body),
  )

  serve(app, 'GET /api/collections/:owner/:slug', async ({ principal, params }) =>
    textIn<Collection>(await collections.detail(principal, params)),
  )

  serve(app, 'PATCH /api/collections/:owner/:slug', async ({ principal, params, query, body }) =>
    collections.patch(principal, params, body, { dryRun: query.dry_run }),
  )

  serve(app, 'DELETE /api/collections/:owner/:slug', async ({ principal, params }) =>
    collections.remove(principal, params),
  )

  serve(app, 'POST /api/collections/:owner/:slug/transfer', async ({ principal, params, body }) =>
    collections.transfer(principal, params, body.to),
  )

  serve(app, 'POST /api/collections/:owner/:slug/report', async ({ principal, params, body }) => ({
    ok: true as const,
    recorded: await registry.reports.make(principal, params, body),
  }))

  serve(app, 'GET /api/collections/:owner/:slug/family', async ({ principal, params }) =>
    registry.forks.family(principal, params),
  )

  serve(app, 'POST /api/collections/:owner/:slug/fork', async ({ principal, params, body }) =>
    registry.forks.create(principal, params, body),
  )
}
