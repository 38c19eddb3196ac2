/** Delta pushes over HTTP. http-api §9. */
import { BatchReceived, CollectionPath, NoQuery, OpenedPush, OpenPush, PushPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { bytesOf, receiveLargeJson, receiveNdjson } from '../plugins/bodies.ts'
import { leaving } from '../plugins/destination.ts'
import { bodyUnchecked, parseBody } from '../plugins/shapes.ts'
import type { RouteOptions } from './index.ts'
import { sessionRoutes } from './push-sessions.ts'

const tags = ['pushes']
const root = '/collections/:owner/:slug/pushes'
const config = { entrance: { scope: 'write' } } as const

export const pushRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveLargeJson(scope)
    scope.post(
      root,
      {
        config,
        validatorCompiler: bodyUnchecked,
        schema: {
          tags,
          summary: 'Open a push session',
          params: CollectionPath,
          body: OpenPush,
          response: { 201: OpenedPush },
        },
      },
      async (request, reply) => {
        const path = request.params as CollectionPath
        const opened = await registry.pushes.open(
          request.principal,
          path,
          bytesOf(request.body),
          (outline) => parseBody(OpenPush, outline),
          leaving(reply),
        )
        return reply.code(201).send(opened)
      },
    )
  })

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
        async (request, reply) => {
          const { id, ...path } = request.params as PushPath
          const { principal, body } = request
          return registry.pushes.receive(principal, path, id, kind, bytesOf(body), leaving(reply))
        },
      )
    }
  })

  sessionRoutes(app, { root, tags, service: registry.pushes })
}
