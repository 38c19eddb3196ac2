/** Routes of storage usage. http-api §11, quotas. */
import { AccountPath, AccountUsage } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import * as about from '../descriptions/accounts.ts'
import type { RouteOptions } from '../options.ts'

export const usageRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/accounts/:slug/usage',
    {
      config: { entrance: { scope: 'any', unlimited: true } },
      schema: {
        tags: ['accounts'],
        ...about.accountUsage,
        params: AccountPath,
        response: { 200: AccountUsage },
      },
    },
    async (request) => registry.accounts.usage(request.principal, request.params.slug),
  )
}
