/** Webhooks over HTTP. http-api §13. */
import type { FastifyPluginAsync } from 'fastify'
import type { RouteOptions } from './options.ts'
import { done, serve } from './serve.ts'

export const webhookRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry: { webhooks } }) => {
  serve(app, 'POST /api/collections/:owner/:slug/webhooks', async ({ principal, params, body }) =>
    webhooks.create(principal, { collection: params }, body),
  )
  serve(app, 'GET /api/collections/:owner/:slug/webhooks', async ({ principal, params }) =>
    webhooks.list(principal, { collection: params }),
  )
  serve(app, 'POST /api/accounts/:slug/webhooks', async ({ principal, params, body }) =>
    webhooks.create(principal, { account: params.slug }, body),
  )
  serve(app, 'GET /api/accounts/:slug/webhooks', async ({ principal, params }) =>
    webhooks.list(principal, { account: params.slug }),
  )
  serve(app, 'GET /api/webhooks/:id', async ({ principal, params }) => webhooks.find(principal, params.id))
  serve(app, 'PATCH /api/webhooks/:id', async ({ principal, params, body }) =>
    webhooks.change(principal, params.id, body),
  )
  serve(app, 'DELETE /api/webhooks/:id', async ({ principal, params }) => {
    await webhooks.remove(principal, params.id)
    return done
  })
  serve(app, 'POST /api/webhooks/:id/test', async ({ principal, params }) =>
    webhooks.test(principal, params.id),
  )
  serve(app, 'POST /api/webhooks/:id/rotate', async ({ principal, params }) =>
    webhooks.rotate(principal, params.id),
  )
  serve(app, 'GET /api/webhooks/:id/deliveries', async ({ principal, params, query }) =>
    webhooks.deliveries(principal, params.id, query),
  )
  serve(app, 'POST /api/webhooks/:id/deliveries/:seq/retry', async ({ principal, params }) =>
    webhooks.retry(principal, params.id, /^\d{1,16}$/.test(params.seq) ? Number(params.seq) : -1),
  )
  serve(app, 'POST /api/webhooks/:id/replay', async ({ principal, params, body }) =>
    webhooks.replay(principal, params.id, body),
  )
}
