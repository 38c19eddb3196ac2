/** Delta pushes over HTTP. http-api §9. */
import { Readable } from 'node:stream'
import {
  BatchReceived,
  CollectionPath,
  CommitQuery,
  CommittedPush,
  CommittingPush,
  NoQuery,
  OpenedPush,
  OpenPush,
  PushPath,
  PushState,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { receiveNdjson } from '../plugins/bodies.ts'
import { renderStored } from '../plugins/errors.ts'
import type { RouteOptions } from './index.ts'

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

  app.post(
    `${root}/:id/commit`,
    {
      config,
      schema: {
        tags,
        summary: 'Make the version',
        params: PushPath,
        querystring: CommitQuery,
        response: { 201: CommittedPush, 202: CommittingPush },
      },
    },
    async (request, reply) => {
      const { id, ...path } = request.params
      const answer = await registry.pushes.commit(request.principal, path, id, request.query)
      if (answer.kind === 'committed') return reply.code(201).send(answer.result)
      return reply.code(202).send({ session_id: answer.session_id, status: answer.status })
    },
  )

  app.get(
    `${root}/:id`,
    {
      config: { entrance: { scope: 'read' } },
      schema: {
        tags,
        summary: 'State of a push session',
        params: PushPath,
        querystring: NoQuery,
        response: { 200: PushState },
      },
    },
    async (request) => {
      const { id, ...path } = request.params
      const state = await registry.pushes.state(request.principal, path, id)
      return { ...state, error: state.error === null ? null : renderStored(state.error) }
    },
  )

  app.delete(
    `${root}/:id`,
    {
      config,
      schema: { tags, summary: 'Give a push session up', params: PushPath, response: { 204: z.null() } },
    },
    async (request, reply) => {
      const { id, ...path } = request.params
      await registry.pushes.cancel(request.principal, path, id)
      return reply.code(204).send(null)
    },
  )
}
