/** The audit log over HTTP. http-api §11. */
import type { FastifyPluginAsync } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesLentBy } from '../../plugins/answers/streams.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

export const auditRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  serve(app, 'GET /api/accounts/:slug/audit', async (request, reply) => {
    const { principal, params, query } = request
    return linkPages(request, reply, await registry.audit.list(principal, params.slug, query))
  })

  serve(app, 'GET /api/accounts/:slug/audit.ndjson', async (request, reply) => {
    const { principal, params, query } = request
    const events = await registry.audit.stream(principal, params.slug, query)
    const lines = registry.answers.stream(principal, goneOf(reply), 'records', events)
    reply.type('application/x-ndjson')
    return reply.send(bytesLentBy(request, lines))
  })
}
