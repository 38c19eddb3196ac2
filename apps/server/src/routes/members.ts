/** Members of organizations over HTTP. http-api §3. */
import { AccountPath, Done, ListQuery, Member, MemberPath, SetMember } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { RouteOptions } from './index.ts'
import { linkPages } from './links.ts'

const tags = ['members']

export const memberRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/accounts/:slug/members',
    {
      config: { entrance: { scope: 'any', unlimited: true } },
      schema: {
        tags,
        summary: 'Members of an organization',
        params: AccountPath,
        querystring: ListQuery,
        response: { 200: z.array(Member) },
      },
    },
    async (request, reply) =>
      linkPages(
        request,
        reply,
        await registry.members.list(request.principal, request.params.slug, request.query),
      ),
  )

  app.put(
    '/accounts/:slug/members/:user',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: {
        tags,
        summary: 'Add a member or change its role',
        params: MemberPath,
        body: SetMember,
        response: { 200: Done },
      },
    },
    async (request) => {
      await registry.members.set(request.principal, request.params, request.body.role)
      return { ok: true as const }
    },
  )

  app.delete(
    '/accounts/:slug/members/:user',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: { tags, summary: 'Remove a member, or leave', params: MemberPath, response: { 200: Done } },
    },
    async (request) => {
      await registry.members.remove(request.principal, request.params)
      return { ok: true as const }
    },
  )
}
