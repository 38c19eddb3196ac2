/** Histories of records over HTTP. http-api §7. */
import { HistoryItem, HistoryPath, ListQuery } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { RouteOptions } from './index.ts'
import { linkPages } from './links.ts'

export const historyRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/records/:type/:id/history',
    {
      schema: {
        tags: ['records'],
        summary: 'The versions in which a record changed, newest first',
        description:
          'One answer goes through 300 versions at most. With few changes in many versions a page has fewer items than `limit`, perhaps none: follow `next` of the `Link` header to the end.',
        params: HistoryPath,
        querystring: ListQuery,
        response: { 200: z.array(HistoryItem) },
      },
    },
    async (request, reply) =>
      linkPages(
        request,
        reply,
        await registry.histories.list(request.principal, request.params, request.query),
      ),
  )
}
