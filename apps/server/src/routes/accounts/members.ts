/** Members of organizations over HTTP. http-api §3. */
import { CreatedInvitation, Done, ListQuery, Member, MemberPath, OrgPath, SetMember } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/accounts.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['members']

export const memberRoutes: FastifyPluginAsyncZod<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  app.get(
    '/accounts/:slug/members',
    {
      config: { entrance: { scope: 'any', unlimited: true } },
      schema: {
        tags,
        ...about.listMembers,
        params: OrgPath,
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
        ...about.setMember,
        params: MemberPath,
        body: SetMember,
        response: { 200: Done, 202: CreatedInvitation },
      },
    },
    async ({ principal, params, body }, reply) => {
      const invited = await registry.members.set(principal, params, body.role)
      if (invited === undefined) return { ok: true as const }
      return reply.code(202).send({ ...invited, url: `${origin()}/invitations/${invited.token}` })
    },
  )

  app.delete(
    '/accounts/:slug/members/:user',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: { tags, ...about.removeMember, params: MemberPath, response: { 200: Done } },
    },
    async (request) => {
      await registry.members.remove(request.principal, request.params)
      return { ok: true as const }
    },
  )
}
