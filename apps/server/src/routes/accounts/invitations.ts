/** Invitations to organizations over HTTP. http-api §11. */
import {
  AnsweredInvitation,
  AnswerInvitation,
  CreatedInvitation,
  CreateInvitation,
  Done,
  Invitation,
  InvitationPath,
  InvitationTokenPath,
  NoQuery,
  OrgPath,
  OwnInvitation,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/invitations.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['members']
const config = { entrance: { scope: 'admin', unlimited: true } } as const

export const invitationRoutes: FastifyPluginAsyncZod<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  app.post(
    '/accounts/:slug/invitations',
    {
      config,
      schema: {
        tags,
        ...about.createInvitation,
        params: OrgPath,
        body: CreateInvitation,
        response: { 201: CreatedInvitation },
      },
    },
    async ({ principal, params, body }, reply) => {
      const made = await registry.invitations.create(principal, params.slug, body)
      return reply.code(201).send({ ...made, url: `${origin()}/invitations/${made.token}` })
    },
  )

  app.get(
    '/accounts/:slug/invitations',
    {
      config,
      schema: {
        tags,
        ...about.listInvitations,
        params: OrgPath,
        querystring: NoQuery,
        response: { 200: z.array(Invitation) },
      },
    },
    async ({ principal, params }) => registry.invitations.list(principal, params.slug),
  )

  app.delete(
    '/accounts/:slug/invitations/:id',
    {
      config,
      schema: { tags, ...about.removeInvitation, params: InvitationPath, response: { 200: Done } },
    },
    async ({ principal, params }) => {
      await registry.invitations.remove(principal, params.slug, params.id)
      return { ok: true as const }
    },
  )

  app.get(
    '/accounts/me/invitations',
    {
      config: { entrance: { scope: 'any', unlimited: true } },
      schema: {
        tags,
        ...about.ownInvitations,
        querystring: NoQuery,
        response: { 200: z.array(OwnInvitation) },
      },
    },
    async ({ principal }) => registry.invitations.own(principal),
  )

  app.post(
    '/invitations/:token',
    {
      config,
      schema: {
        tags,
        ...about.answerInvitation,
        params: InvitationTokenPath,
        body: AnswerInvitation,
        response: { 200: AnsweredInvitation },
      },
    },
    async ({ principal, params, body }) => registry.invitations.answer(principal, params.token, body.accept),
  )
}
