/** Differences of versions over HTTP. http-api §7. */
import { DiffLine, DiffPage, DiffQuery, DiffStreamQuery, VersionPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { linesSchema } from '../../openapi/routes.ts'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { streamed, textIn } from '../../plugins/shapes.ts'
import * as about from '../descriptions/versions.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['versions']
const config = { names: 'version' } as const

export const diffRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions/:v/diff',
    {
      config,
      schema: {
        tags,
        ...about.diff,
        params: VersionPath,
        querystring: DiffQuery,
        response: { 200: DiffPage },
      },
    },
    async ({ principal, params, query }) =>
      textIn<DiffPage>(await registry.diffs.page(principal, params, query)),
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/diff.ndjson',
    {
      config,
      schema: {
        tags,
        ...about.diffStream,
        params: VersionPath,
        querystring: DiffStreamQuery,
        response: {
          200: streamed('application/x-ndjson', 'A `DiffLine` a line.', linesSchema(DiffLine)),
        },
      },
    },
    async (request, reply) => {
      const { principal, params, query } = request
      const { hash, lines } = await registry.diffs.stream(principal, params, query)
      reply.tagBy(`${hash} ${JSON.stringify(query)}`)
      reply.type('application/x-ndjson')
      return reply.send(
        bytesFrom(request, registry.answers.stream(principal, goneOf(reply), 'records', lines)),
      )
    },
  )
}
