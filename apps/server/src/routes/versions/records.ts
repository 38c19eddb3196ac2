/** Records over HTTP. http-api §7. */
import {
  CollectionRecord,
  ProvenRecord,
  RecordPath,
  RecordQuery,
  RecordsPage,
  RecordsQuery,
  RecordsStreamQuery,
  VersionPath,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { linesSchema } from '../../openapi/routes.ts'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesLentBy } from '../../plugins/answers/streams.ts'
import { streamed, textIn } from '../../plugins/shapes.ts'
import * as about from '../descriptions/versions.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['records']
const config = { names: 'version' } as const

export const recordRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions/:v/records',
    {
      config,
      schema: {
        tags,
        ...about.recordsPage,
        params: VersionPath,
        querystring: RecordsQuery,
        response: { 200: RecordsPage },
      },
    },
    async ({ principal, params, query }) =>
      textIn<RecordsPage>(await registry.records.page(principal, params, query)),
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/records/:type/:id',
    {
      config,
      schema: {
        tags,
        ...about.oneRecord,
        params: RecordPath,
        querystring: RecordQuery,
        response: { 200: ProvenRecord },
      },
    },
    async ({ principal, params, query }) =>
      textIn<ProvenRecord>(await registry.records.one(principal, params, query)),
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/records.ndjson',
    {
      config,
      schema: {
        tags,
        ...about.recordsStream,
        params: VersionPath,
        querystring: RecordsStreamQuery,
        response: {
          200: streamed(
            'application/x-ndjson',
            'A `Record` a line. `X-Record-Count` says how many follow.',
            linesSchema(CollectionRecord),
          ),
        },
      },
    },
    async (request, reply) => {
      const { principal, params, query } = request
      const stream = await registry.records.stream(principal, params, query)
      const lines = registry.answers.stream(principal, goneOf(reply), 'records', stream.lines)
      reply.tagBy(`${stream.hash} ${JSON.stringify(query)}`)
      reply.header('X-Record-Count', stream.count).type('application/x-ndjson')
      return reply.send(bytesLentBy(request, lines))
    },
  )
}
