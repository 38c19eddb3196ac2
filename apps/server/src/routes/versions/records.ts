/** Records and their histories over HTTP. http-api §7. */
import type { ProvenRecord, RecordsPage } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesLentBy } from '../../plugins/answers/streams.ts'
import { textIn } from '../../plugins/shapes.ts'
import { linkNext, linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

export const recordRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/records', async (request, reply) => {
    const { principal, params, query } = request
    const page = await registry.records.page(principal, params, query)
    return textIn<RecordsPage>(linkNext(request, reply, 'after', page))
  })

  serve(
    app,
    'GET /api/collections/:owner/:slug/versions/:v/records/:type/:id',
    async ({ principal, params, query }) =>
      textIn<ProvenRecord>(await registry.records.one(principal, params, query)),
  )

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/records.ndjson', async (request, reply) => {
    const { principal, params, query } = request
    const stream = await registry.records.stream(principal, params, query)
    const lines = registry.answers.stream(principal, goneOf(reply), 'records', stream.lines)
    reply.tagBy(`${stream.hash} ${JSON.stringify(query)}`)
    reply.header('X-Record-Count', stream.count).type('application/x-ndjson')
    return reply.send(bytesLentBy(request, lines))
  })

  serve(app, 'GET /api/collections/:owner/:slug/records/:type/:id/history', async (request, reply) => {
    const { principal, params, query } = request
    return linkPages(request, reply, await registry.histories.list(principal, params, query))
  })

  serve(app, 'GET /api/collections/:owner/:slug/records/:type/:id/erasure', async ({ principal, params }) =>
    registry.recordErasures.plan(principal, params),
  )

  serve(
    app,
    'POST /api/collections/:owner/:slug/records/:type/:id/erase',
    async ({ principal, params, body }) => registry.recordErasures.erase(principal, params, body),
  )
}
