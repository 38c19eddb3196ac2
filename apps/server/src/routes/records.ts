/** Records over HTTP. http-api §7. Their JSON comes from the store as text and is passed on so. */
import {
  ProvenRecord,
  RecordPath,
  RecordQuery,
  RecordsPage,
  RecordsQuery,
  RecordsStreamQuery,
  VersionPath,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { destinationOf } from '../plugins/destination.ts'
import { streamed } from '../plugins/shapes.ts'
import { bytesLentBy } from '../plugins/streams.ts'
import type { RouteOptions } from './index.ts'

const tags = ['records']
const config = { names: 'version' } as const
const json = 'application/json; charset=utf-8'

/** What a handler sends that is JSON text already; the shape documents it. */
const textOf = <Shape>(text: string): Shape => text as Shape

export const recordRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions/:v/records',
    {
      config,
      schema: {
        tags,
        summary: 'A page of records, by type and id',
        params: VersionPath,
        querystring: RecordsQuery,
        response: { 200: RecordsPage },
      },
    },
    async (request, reply) => {
      const { records, pagination } = await registry.records.page(
        request.principal,
        request.params,
        request.query,
        destinationOf(request, reply),
      )
      const page = `{"records":[${records.join(',')}],"pagination":${JSON.stringify(pagination)}}`
      return reply.type(json).send(textOf<RecordsPage>(page))
    },
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/records/:type/:id',
    {
      config,
      schema: {
        tags,
        summary: 'One record, with its proof on request',
        params: RecordPath,
        querystring: RecordQuery,
        response: { 200: ProvenRecord },
      },
    },
    async (request, reply) => {
      const { principal, params, query } = request
      const record = await registry.records.one(principal, params, query, destinationOf(request, reply))
      return reply.type(json).send(textOf<ProvenRecord>(record.json))
    },
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/records.ndjson',
    {
      config,
      schema: {
        tags,
        summary: 'All records, streamed as NDJSON',
        params: VersionPath,
        querystring: RecordsStreamQuery,
        response: {
          200: streamed('application/x-ndjson', 'A `Record` a line. `X-Record-Count` says how many follow.'),
        },
      },
    },
    async (request, reply) => {
      const stream = await registry.records.stream(
        request.principal,
        request.params,
        request.query,
        destinationOf(request, reply),
      )
      reply.tagBy(`${stream.hash} ${JSON.stringify(request.query)}`)
      reply.header('X-Record-Count', stream.count).type('application/x-ndjson')
      return reply.send(bytesLentBy(request, stream.lines))
    },
  )
}
