/** Exports over HTTP. http-api §7. */
import { CollectionPath, ExportQuery } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { destinationOf } from '../plugins/destination.ts'
import { streamed } from '../plugins/shapes.ts'
import { bytesFrom } from '../plugins/streams.ts'
import type { RouteOptions } from './index.ts'

const description = `A tar archive compressed with gzip, the same bytes every time: \`records/<Type>.ndjson\` (canonical forms by id, each
of which hashes to the record's hash), \`schemas/<Type>.json\`, \`files/<hex>\` and, last, \`manifest.json\` with the version's document, whose
hash is its digest.`

export const exportRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/export',
    {
      config: { names: 'version' },
      schema: {
        tags: ['versions'],
        summary: 'A whole version as a .tar.gz',
        params: CollectionPath,
        querystring: ExportQuery,
        response: { 200: streamed('application/gzip', description) },
      },
    },
    async (request, reply) => {
      const { version: v } = request.query
      const path = { ...request.params, v }
      const archive = await registry.exports.open(request.principal, path, destinationOf(request, reply))
      reply.tagBy(archive.hash)
      reply.header('Content-Disposition', `attachment; filename="${archive.fileName}"`)
      return reply.type('application/gzip').send(bytesFrom(request, archive.bytes))
    },
  )
}
