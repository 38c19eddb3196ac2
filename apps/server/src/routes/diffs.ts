/** Differences of versions over HTTP. http-api §7. Their records come from the store as JSON text and are passed on so. */
import { DiffPage, DiffQuery, VersionPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { destinationOf } from '../plugins/destination.ts'
import type { RouteOptions } from './index.ts'

export const diffRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions/:v/diff',
    {
      config: { names: 'version' },
      schema: {
        tags: ['versions'],
        summary: 'A page of what differs between two versions',
        params: VersionPath,
        querystring: DiffQuery,
        response: { 200: DiffPage },
      },
    },
    async (request, reply) => {
      const { principal, params, query } = request
      const page = await registry.diffs.page(principal, params, query, destinationOf(request, reply))
      const { from, to, added, updated, ...rest } = page
      const records = `"added":[${added.join(',')}],"updated":[${updated.join(',')}]`
      const text = `{"from":"${from}","to":"${to}",${records},${JSON.stringify(rest).slice(1)}`
      // JSON text already; the shape documents it.
      return reply.type('application/json; charset=utf-8').send(text as unknown as DiffPage)
    },
  )
}
