/** Version metadata over HTTP. interface.md "Version metadata"; http-api §5. */
import {
  CollectionPath,
  MetadataJob,
  MetadataJobPath,
  MetadataPatch,
  MetadataQuery,
  MetadataResult,
  StartedMetadataJob,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { renderStored } from '../../plugins/answers/errors.ts'
import { bytesOf, receiveLargeJson } from '../../plugins/requests/bodies.ts'
import { bodyUnchecked } from '../../plugins/shapes.ts'
import * as about from '../descriptions/metadata.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['metadata']

export const metadataRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveLargeJson(scope)
    scope.patch(
      '/collections/:owner/:slug/metadata',
      {
        config: { entrance: { scope: 'write' } },
        validatorCompiler: bodyUnchecked,
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
        const { principal } = request
        const path = request.params as CollectionPath
        const patch = await registry.metadata.read(principal, bytesOf(request.body))
        if ((request.query as MetadataQuery).async)
          return reply.code(202).send(await registry.metadata.start(principal, path, patch))
        const result = await registry.metadata.update(principal, path, patch)
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
