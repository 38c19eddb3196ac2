/** Exports over HTTP. http-api §7. */
import { CollectionPath, ExportQuery } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { streamed } from '../../plugins/shapes.ts'
import * as about from '../descriptions/versions.ts'
import type { RouteOptions } from '../options.ts'

export const exportRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/export',
    {
      config: { names: 'version' },
      schema: {
        tags: ['versions'],
        ...about.exported,
        params: CollectionPath,
        querystring: ExportQuery,
        response: { 200: streamed('application/gzip', 'The archive. `Content-Disposition` names it.') },
      },
    },
    async (request, reply) => {
      const { version: v } = request.query
      const path = { ...request.params, v }
      const archive = await registry.exports.open(request.principal, path)
      const bytes = registry.answers.stream(request.principal, goneOf(reply), 'records', archive.bytes)
      reply.tagBy(archive.hash)
      reply.header('Content-Disposition', `attachment; filename="${archive.fileName}"`)
      return reply.type('application/gzip').send(bytesFrom(request, bytes))
    },
  )
}
