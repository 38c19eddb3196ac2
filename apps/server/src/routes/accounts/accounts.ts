/** Accounts over HTTP. interface.md "Accounts and keys"; http-api §3. */
import {
  Account,
  AccountPath,
  CreateOrg,
  Done,
  ListQuery,
  Membership,
  OrgPath,
  OrgSettings,
  OwnAccount,
  UpdateAccount,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/accounts.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['accounts']

export const accountRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.post(
    '/accounts',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: { tags, ...about.createOrg, body: CreateOrg, response: { 201: Account } },
    },
    async (request, reply) =>
      reply.code(201).send(await registry.accounts.createOrg(request.principal, request.body)),
  )

  app.get(
    '/accounts/me',
    {
      config: { entrance: { scope: 'any' } },
      schema: { tags, ...about.ownAccount, response: { 200: OwnAccount } },
    },
    async (request) => registry.accounts.own(request.principal),
  )

  app.get(
    '/accounts/me/memberships',
    {
      config: { entrance: { scope: 'any' } },
      schema: {
        tags,
        ...about.memberships,
        querystring: ListQuery,
        response: { 200: z.array(Membership) },
      },
    },
    async (request, reply) =>
      linkPages(request, reply, await registry.members.membershipsOf(request.principal, request.query)),
  )

  app.get(
    '/accounts/:slug',
    {
      schema: {
        tags,
        ...about.profile,
        params: AccountPath,
        response: { 200: Account },
      },
    },
    async (request) => registry.accounts.profile(request.params.slug),
  )

  app.patch(
    '/accounts/:slug',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: {
        tags,
        ...about.updateAccount,
        params: AccountPath,
        body: UpdateAccount,
        response: { 200: Done },
      },
    },
    async (request) => {
      await registry.accounts.update(request.principal, request.params.slug, request.body)
      return { ok: true as const }
    },
  )

  app.get(
    '/accounts/:slug/settings',
    {
      config: { entrance: { scope: 'any', unlimited: true } },
      schema: { tags, ...about.settings, params: OrgPath, response: { 200: OrgSettings } },
    },
    async (request) => registry.accounts.settings(request.principal, request.params.slug),
  )

  app.delete(
    '/accounts/:slug',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: {
        tags,
        ...about.removeAccount,
        params: OrgPath,
        response: { 200: Done },
      },
    },
    async (request) => {
      await registry.accounts.remove(request.principal, request.params.slug)
      return { ok: true as const }
    },
  )
}
