/** Histories of records over HTTP. http-api §7. */
import { HistoryItem, HistoryPath, HistoryQuery } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/versions.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

export const historyRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/records/:type/:id/history',
    {
      schema: {
        tags: ['records'],
        ...about.history,
        params: HistoryPath,
        querystring: HistoryQuery,
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
