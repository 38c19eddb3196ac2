/** Version metadata over HTTP. interface.md "Version metadata"; http-api §5. */
import type { FastifyPluginAsync } from 'fastify'
import { renderStored } from '../../plugins/answers/errors.ts'
import { bytesOf, receiveLargeJson } from '../../plugins/requests/bodies.ts'
import { bodyUnchecked } from '../../plugins/shapes.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

export const metadataRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveLargeJson(scope)
    serve(
      scope,
      'PATCH /api/collections/:owner/:slug/metadata',
      async ({ principal, params, query, body }, reply) => {
        const patch = await registry.metadata.read(principal, bytesOf(body))
        if (query.async) {
          reply.code(202)
          return registry.metadata.start(principal, params, patch)
        }
        const result = await registry.metadata.update(principal, params, patch)
        reply.code(result.unchanged ? 200 : 201)
        return result
      },
      { validatorCompiler: bodyUnchecked },
    )
  })

  serve(
    app,
    'GET /api/collections/:owner/:slug/metadata/jobs/:job_id',
    async ({ principal, params: { job_id, ...path } }) => {
      const { error, ...job } = await registry.metadata.job(principal, path, job_id)
      return error === undefined ? job : { ...job, error: renderStored(error) }
    },
  )
}
