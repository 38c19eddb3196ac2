/** Versions over HTTP. http-api §7. */
import {
  CollectionPath,
  ListQuery,
  NoQuery,
  Version,
  VersionFile,
  VersionItem,
  VersionPath,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { destinationOf } from '../plugins/destination.ts'
import { textIn } from '../plugins/shapes.ts'
import type { RouteOptions } from './index.ts'
import { linkPages } from './links.ts'

const tags = ['versions']

export const versionRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions',
    {
      schema: {
        tags,
        summary: 'Versions of a collection, newest first',
        params: CollectionPath,
        querystring: ListQuery,
        response: { 200: z.array(VersionItem) },
      },
    },
    async (request, reply) =>
      linkPages(
        request,
        reply,
        await registry.versions.list(request.principal, request.params, request.query),
      ),
  )

  app.get(
    '/collections/:owner/:slug/versions/:v',
    {
      config: { names: 'version' },
      schema: {
        tags,
        summary: 'A version with its metadata and schemas',
        params: VersionPath,
        querystring: NoQuery,
        response: { 200: Version },
      },
    },
    async (request, reply) =>
      textIn<Version>(
        await registry.versions.detail(request.principal, request.params, destinationOf(request, reply)),
      ),
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/files',
    {
      config: { names: 'version' },
      schema: {
        tags,
        summary: 'Files of a version and the records that refer to them',
        params: VersionPath,
        querystring: NoQuery,
        response: { 200: z.array(VersionFile) },
      },
    },
    async (request, reply) =>
      registry.files.list(request.principal, request.params, destinationOf(request, reply)),
  )
}
