/** Delta pushes over HTTP: sessions that take changed and deleted records. http-api §9. */
import { OpenPush } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { leaving } from '../../plugins/answers/leaving.ts'
import { bytesOf, receiveLargeJson, receiveNdjson } from '../../plugins/requests/bodies.ts'
import { bodyUnchecked, parseBody } from '../../plugins/shapes.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'
import { sessionRoutes } from './sessions.ts'

const root = '/api/collections/:owner/:slug/pushes'

export const pushRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveLargeJson(scope)
    serve(
      scope,
      `POST ${root}`,
      async ({ principal, params, body }, reply) =>
        registry.pushes.open(
          principal,
          params,
          bytesOf(body),
          (outline) => parseBody(OpenPush, outline),
          leaving(reply),
        ),
      { validatorCompiler: bodyUnchecked },
    )
  })

  await app.register(async (scope) => {
    receiveNdjson(scope)
    for (const kind of ['records', 'deletes'] as const)
      serve(scope, `POST ${root}/:id/${kind}`, async ({ principal, params: { id, ...path }, body }, reply) =>
        registry.pushes.receive(principal, path, id, kind, bytesOf(body), leaving(reply)),
      )
  })

  sessionRoutes(app, root, registry.pushes)
}
