/** Manifests over HTTP. http-api §7. */
import { Manifest, ManifestQuery, VersionPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import * as about from '../descriptions/versions.ts'
import type { RouteOptions } from '../options.ts'

export const manifestRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions/:v/manifest',
    {
      config: { names: 'version' },
      schema: {
        tags: ['versions'],
        ...about.manifest,
        params: VersionPath,
        querystring: ManifestQuery,
        response: { 200: Manifest },
      },
    },
    async ({ principal, params, query }) => registry.manifests.page(principal, params, query),
  )
}
