/** API keys over HTTP. interface.md "Accounts and keys"; http-api §3. */
import { CreatedKey, CreateKey, Done, Key, KeyPath, NoQuery } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/keys.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['keys']
const config = { entrance: { scope: 'any' } } as const

export const keyRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.post(
    '/accounts/keys',
    { config, schema: { tags, ...about.createKey, body: CreateKey, response: { 201: CreatedKey } } },
    async (request, reply) =>
      reply.code(201).send(await registry.keys.create(request.principal, request.body)),
  )

  app.get(
    '/accounts/keys',
    {
      config,
      schema: { tags, ...about.listKeys, querystring: NoQuery, response: { 200: z.array(Key) } },
    },
    async (request) => registry.keys.list(request.principal),
  )

  app.delete(
    '/accounts/keys/:id',
    { config, schema: { tags, ...about.revokeKey, params: KeyPath, response: { 200: Done } } },
    async (request) => {
      await registry.keys.revoke(request.principal, request.params.id)
      return { ok: true as const }
    },
  )
}
