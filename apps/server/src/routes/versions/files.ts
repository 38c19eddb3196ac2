/** Files, and whole versions as archives, over HTTP. http-api §7, §8; ranges RFC 9110 §14. */
import { Readable } from 'node:stream'
import { RegistryError } from '@ulmus/registry'
import type { FastifyPluginAsync } from 'fastify'
import { holds } from '../../plugins/answers/entity-tags.ts'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { readRange } from '../../plugins/answers/ranges.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { receiveBytes } from '../../plugins/requests/bodies.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

export const fileRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveBytes(scope)
    serve(
      scope,
      'PUT /api/collections/:owner/:slug/files/:hash',
      async ({ principal, params, headers, body }, reply) => {
        const { created, file } = await registry.files.put(principal, params, {
          body: (body ?? Readable.from([])) as AsyncIterable<Uint8Array>,
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
      const tag = reply.tagBy(file.hash)
      // Never show uploads as pages of this site.
      reply.type(file.contentType)
      reply.header('Content-Disposition', 'attachment')
      reply.header('X-Content-Type-Options', 'nosniff')
      reply.header('Content-Security-Policy', "default-src 'none'; sandbox")
      reply.header('Accept-Ranges', 'bytes')
      const { 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers
      // A range applies only to GET (RFC 9110 §14.2), only if `If-Range` equals the tag exactly (§13.1.5), and not if the caller already
      // has the file (§13.2.2).
      const whole =
        request.method === 'HEAD' || holds(ifNoneMatch, tag) || (ifRange !== undefined && ifRange !== tag)
      const range = whole ? undefined : readRange(request.headers.range, file.size)
      if (range === 'unsatisfiable') {
        reply.header('Content-Range', `bytes */${file.size}`)
        throw new RegistryError('range_not_satisfiable', { say: { size: file.size } })
      }
      if (range !== undefined) {
        reply
          .code(206)
          .header('Content-Range', `bytes ${range.start}-${range.start + range.length - 1}/${file.size}`)
      }
      reply.header('Content-Length', range?.length ?? file.size)
      const bytes = registry.answers.stream(request.principal, goneOf(reply), 'file', file.stream(range))
      return reply.send(bytesFrom(request, bytes))
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
