/** Versions over HTTP. http-api §7. */
import {
  CollectionPath,
  DeprecateVersion,
  Done,
  NoQuery,
  Version,
  VersionFile,
  VersionItem,
  VersionListQuery,
  VersionPath,
  WithdrawnVersion,
  WithdrawVersion,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { textIn } from '../../plugins/shapes.ts'
import * as about from '../descriptions/versions.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['versions']

export const versionRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug/versions',
    {
      schema: {
        tags,
        ...about.listVersions,
        params: CollectionPath,
        querystring: VersionListQuery,
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
        ...about.version,
        params: VersionPath,
        querystring: NoQuery,
        response: { 200: Version },
      },
    },
    async ({ principal, params }) => textIn<Version>(await registry.versions.detail(principal, params)),
  )

  app.get(
    '/collections/:owner/:slug/versions/:v/files',
    {
      config: { names: 'version' },
      schema: {
        tags,
        ...about.versionFiles,
        params: VersionPath,
        querystring: NoQuery,
        response: { 200: z.array(VersionFile) },
      },
    },
    async ({ principal, params }) => registry.files.list(principal, params),
  )
  await app.register(withdrawalRoutes, { registry })
}

const withdrawalRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  const config = { entrance: { scope: 'write' } } as const
  app.post(
    '/collections/:owner/:slug/versions/:v/withdraw',
    {
      config,
      schema: {
        tags,
        ...about.withdraw,
        params: VersionPath,
        body: WithdrawVersion,
        response: { 200: WithdrawnVersion },
      },
    },
    async ({ principal, params, body }) => registry.withdrawals.withdraw(principal, params, body),
  )

  app.post(
    '/collections/:owner/:slug/versions/:v/deprecate',
    {
      config,
      schema: {
        tags,
        ...about.deprecate,
        params: VersionPath,
        body: DeprecateVersion,
        response: { 200: Done },
      },
    },
    async ({ principal, params, body }) => registry.withdrawals.deprecate(principal, params, body.message),
  )
}
