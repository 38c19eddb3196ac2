/** Files over HTTP. http-api §8; ranges RFC 9110 §14. */
import { Readable } from 'node:stream'
import { RegistryError } from '@ulmus/registry'
import { exampleFile, FilePath, NoQuery, StoredFile } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { holds } from '../../plugins/answers/entity-tags.ts'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { readRange } from '../../plugins/answers/ranges.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { receiveBytes } from '../../plugins/requests/bodies.ts'
import { streamed } from '../../plugins/shapes.ts'
import * as about from '../descriptions/files.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['files']
const path = '/collections/:owner/:slug/files/:hash'

const fileAnswer = streamed('*/*', 'The bytes.')

const bytes = { type: 'string', format: 'binary' }
/** Any content type is taken, and answered when the file is read. */
const fileBody = {
  description: 'The bytes of the file as they are, of any content type.',
  content: {
    'application/octet-stream': { schema: bytes, example: exampleFile.text },
    '*/*': { schema: bytes, example: exampleFile.text },
  },
}

const headerParameters = [
  {
    name: 'Range',
    description: 'One range of bytes. Several, or what is not understood, mean the whole file.',
    example: 'bytes=0-4',
  },
  {
    name: 'If-Range',
    description: 'The `ETag` that the file must have for the range to count; else it is answered whole.',
    example: '"5f1d3c0e9a7b48263d15c4f0b8e29a76"',
  },
]

export const fileRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveBytes(scope)
    scope.put(
      path,
      {
        config: { entrance: { scope: 'write' } },
        decompress: false,
        schema: {
          tags,
          ...about.putFile,
          streamedBody: fileBody,
          params: FilePath,
          querystring: NoQuery,
          response: { 200: StoredFile, 201: StoredFile },
        },
      },
      async (request, reply) => {
        const body = (request.body ?? Readable.from([])) as AsyncIterable<Uint8Array>
        const contentType = request.headers['content-type']
        const { created, file } = await registry.files.put(request.principal, request.params as FilePath, {
          body,
          contentType,
        })
        return reply.code(created ? 201 : 200).send(file)
      },
    )
  })

  app.get(
    path,
    {
      config: { names: 'hash' },
      // Ranges and length are those of the file itself.
      compress: false,
      schema: {
        tags,
        ...about.getFile,
        params: FilePath,
        querystring: NoQuery,
        headerParameters,
        response: { 200: fileAnswer, 206: fileAnswer },
      },
    },
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
      // A range is something of GET alone (RFC 9110 §14.2), only of the file that is meant, whose tag is compared exactly (§13.1.5),
      // and of no account where the caller has the file (§13.2.2).
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
  )
}
