/** Forks over HTTP. interface.md "Fork"; http-api §6. */
import { CollectionPath, CreateFork, Fork } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import * as about from '../descriptions/collections.ts'
import type { RouteOptions } from '../options.ts'

export const forkRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.post(
    '/collections/:owner/:slug/fork',
    {
      config: { entrance: { scope: 'write', unlimited: true } },
      schema: {
        tags: ['forks'],
        ...about.fork,
        params: CollectionPath,
        body: CreateFork,
        response: { 201: Fork },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await registry.forks.create(request.principal, request.params, request.body)),
  )
}
