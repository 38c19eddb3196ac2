/** Version metadata over HTTP. interface.md "Version metadata"; http-api §5. */
import { type Patch, shortBytesMax } from '@ulmus/registry'
import {
  CollectionPath,
  MetadataJob,
  MetadataJobPath,
  MetadataPatch,
  MetadataQuery,
  MetadataResult,
  StartedMetadataJob,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod, ZodTypeProvider } from 'fastify-type-provider-zod'
import { renderStored } from '../../plugins/answers/errors.ts'
import { readLongJson } from '../../plugins/requests/bodies.ts'
import * as about from '../descriptions/metadata.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['metadata']

/** Metadata may have 1 MiB in canonical form, and be written longer than that. Bytes. */
const patchBytesMax = 8 * 1024 ** 2

export const metadataRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    readLongJson(scope, shortBytesMax, ({ principal }, body) => registry.metadata.read(principal, body))
    scope.withTypeProvider<ZodTypeProvider>().patch(
      '/collections/:owner/:slug/metadata',
      {
        config: { entrance: { scope: 'write' } },
        bodyLimit: patchBytesMax,
        schema: {
          tags,
          ...about.patchMetadata,
          params: CollectionPath,
          querystring: MetadataQuery,
          body: MetadataPatch,
          response: { 200: MetadataResult, 201: MetadataResult, 202: StartedMetadataJob },
        },
      },
      async (request, reply) => {
        const { principal, params } = request
        const body = request.body as Patch
        if (request.query.async)
          return reply.code(202).send(await registry.metadata.start(principal, params, body))
        const result = await registry.metadata.update(principal, params, body)
        return reply.code(result.unchanged ? 200 : 201).send(result)
      },
    )
  })

  app.get(
    '/collections/:owner/:slug/metadata/jobs/:job_id',
    {
      config: { entrance: { scope: 'read' } },
      schema: {
        tags,
        ...about.metadataJob,
        params: MetadataJobPath,
        response: { 200: MetadataJob },
      },
    },
    async (request) => {
      const { job_id, ...path } = request.params
      const { error, ...job } = await registry.metadata.job(request.principal, path, job_id)
      return error === undefined ? job : { ...job, error: renderStored(error) }
    },
  )
}
