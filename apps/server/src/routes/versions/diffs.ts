/** Differences of versions over HTTP. http-api §7. */
import { DiffPage, DiffQuery, VersionPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { textIn } from '../../plugins/shapes.ts'
import * as about from '../descriptions/versions.ts'
import type { RouteOptions } from '../options.ts'

export const diffRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions/:v/diff',
    {
      config: { names: 'version' },
      schema: {
        tags: ['versions'],
        ...about.diff,
        params: VersionPath,
        querystring: DiffQuery,
        response: { 200: DiffPage },
      },
    },
    async ({ principal, params, query }) =>
      textIn<DiffPage>(await registry.diffs.page(principal, params, query)),
  )
}
