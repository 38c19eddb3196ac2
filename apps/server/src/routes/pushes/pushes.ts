/** Delta pushes over HTTP. http-api §9. */
import {
  BatchReceived,
  CollectionPath,
  DeleteLine,
  exampleDeletes,
  exampleRecords,
  NoQuery,
  OpenedPush,
  OpenPush,
  PushPath,
  RecordLine,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { linesOf } from '../../openapi/routes.ts'
import { leaving } from '../../plugins/answers/leaving.ts'
import { bytesOf, receiveLargeJson, receiveNdjson } from '../../plugins/requests/bodies.ts'
import { bodyUnchecked, parseBody } from '../../plugins/shapes.ts'
import * as about from '../descriptions/pushes.ts'
import type { RouteOptions } from '../options.ts'
import { sessionRoutes } from './sessions.ts'

const tags = ['pushes']
const root = '/collections/:owner/:slug/pushes'
const config = { entrance: { scope: 'write' } } as const

const batches = {
  records: {
    ...about.sendRecords,
    streamedBody: linesOf(RecordLine, 'A record to put on each line.', exampleRecords),
  },
  deletes: {
    ...about.sendDeletes,
    streamedBody: linesOf(DeleteLine, 'A record to remove on each line.', exampleDeletes),
  },
}

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
          ...about.openPush,
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
            ...batches[kind],
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

  sessionRoutes(app, { root, tags, kind: about.delta, service: registry.pushes })
}
