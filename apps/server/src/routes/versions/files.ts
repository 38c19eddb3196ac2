/** Files, and whole versions as archives, over HTTP. http-api §7, §8; ranges RFC 9110 §14. */
import type { FastifyPluginAsync } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { bytesOf, receiveBytes } from '../../plugins/requests/bodies.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'
import { sendRanged } from './ranged.ts'

export const fileRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveBytes(scope)
    serve(
      scope,
      'PUT /api/collections/:owner/:slug/files/:hash',
      async ({ principal, params, headers, body }, reply) => {
        const { created, file } = await registry.files.put(principal, params, {
          body: bytesOf(body),
          contentType: headers['content-type'],
        })
        reply.code(created ? 201 : 200)
        return file
      },
      { decompress: false },
    )
  })

  serve(
    app,
    'GET /api/collections/:owner/:slug/files/:hash',
    async (request, reply) => {
      const file = await registry.files.get(request.principal, request.params)
      // Never show uploads as pages of this site.
      reply.type(file.contentType)
      reply.header('Content-Disposition', 'attachment')
      reply.header('X-Content-Type-Options', 'nosniff')
      reply.header('Content-Security-Policy', "default-src 'none'; sandbox")
      return sendRanged(registry, request, reply, file)
    },
    // Ranges and length refer to the uncompressed file.
    { compress: false },
  )

  serve(app, 'GET /api/collections/:owner/:slug/export', async (request, reply) => {
    const { principal, params, query } = request
    const archive = await registry.exports.open(principal, { ...params, v: query.version })
    const bytes = registry.answers.stream(principal, goneOf(reply), 'records', archive.bytes)
    reply.tagBy(archive.hash)
    reply.header('Content-Disposition', `attachment; filename="${archive.fileName}"`)
    return reply.type('application/gzip').send(bytesFrom(request, bytes))
  })
}
