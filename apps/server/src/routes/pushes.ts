/** Delta pushes over HTTP. http-api §9. */
import { Readable } from 'node:stream'
import { BatchReceived, CollectionPath, NoQuery, OpenedPush, OpenPush, PushPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { receiveNdjson } from '../plugins/bodies.ts'
import type { RouteOptions } from './index.ts'
import { sessionRoutes } from './push-sessions.ts'

const tags = ['pushes']
const root = '/collections/:owner/:slug/pushes'
const config = { entrance: { scope: 'write' } } as const

/** Schemas of many types in one body. Bytes. */
const openingBytesMax = 32 * 1024 ** 2

export const pushRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.post(
    root,
    {
      config,
      bodyLimit: openingBytesMax,
      schema: {
        tags,
        summary: 'Open a push session',
        params: CollectionPath,
        body: OpenPush,
        response: { 201: OpenedPush },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await registry.pushes.open(request.principal, request.params, request.body)),
  )

  await app.register(async (scope) => {
    receiveNdjson(scope)
    for (const kind of ['records', 'deletes'] as const) {
      scope.post(
        `${root}/:id/${kind}`,
        {
          config,
          schema: {
            tags,
            summary: kind === 'records' ? 'Send records, a line each' : 'Send deletes, a line each',
            description:
              'NDJSON, all lines taken or none. A line of records: `RecordLine`; of deletes: `DeleteLine`.',
            consumes: ['application/x-ndjson'],
            params: PushPath,
            querystring: NoQuery,
            response: { 200: BatchReceived },
          },
        },
        async (request) => {
          const body = (request.body ?? Readable.from([])) as AsyncIterable<Uint8Array>
          const { id, ...path } = request.params as PushPath
          return registry.pushes.receive(request.principal, path, id, kind, body)
        },
      )
    }
  })

  sessionRoutes(app, { root, tags, service: registry.pushes })
}
