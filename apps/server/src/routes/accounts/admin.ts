/** Routes of operators. http-api §11. */
import {
  AccountPath,
  AuditEvent,
  AuditQuery,
  Done,
  ErasedAccount,
  EraseQuery,
  HandedOver,
  HandOver,
  JobsUnderWay,
  LinkedIdentity,
  LinkIdentity,
  NoQuery,
  OperateAccount,
  OperatedAccount,
  OperatedAccountsQuery,
  Usage,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/admin.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['operators']
const config = { entrance: { scope: 'admin', unlimited: true } } as const

export const adminRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  const { operators } = registry
  app.get(
    '/admin/accounts',
    {
      config,
      schema: {
        tags,
        ...about.listAccounts,
        querystring: OperatedAccountsQuery,
        response: { 200: z.array(OperatedAccount) },
      },
    },
    async (request, reply) =>
      linkPages(request, reply, await operators.accounts(request.principal, request.query)),
  )

  app.patch(
    '/admin/accounts/:slug',
    {
      config,
      schema: {
        tags,
        ...about.operateAccount,
        params: AccountPath,
        body: OperateAccount,
        response: { 200: Done },
      },
    },
    async ({ principal, params, body }) => {
      await operators.change(principal, params.slug, body)
      return { ok: true as const }
    },
  )

  app.delete(
    '/admin/accounts/:slug',
    {
      config,
      schema: {
        tags,
        ...about.eraseAccount,
        params: AccountPath,
        querystring: EraseQuery,
        response: { 200: ErasedAccount },
      },
    },
    async ({ principal, params, query }) =>
      operators.erase(principal, params.slug, { confirmed: query.confirm === 'true' }),
  )

  app.get(
    '/admin/usage',
    { config, schema: { tags, ...about.usage, querystring: NoQuery, response: { 200: Usage } } },
    async ({ principal }) => operators.usage(principal),
  )

  app.get(
    '/admin/jobs',
    { config, schema: { tags, ...about.jobs, querystring: NoQuery, response: { 200: JobsUnderWay } } },
    async ({ principal }) => operators.jobs(principal),
  )

  app.get(
    '/admin/audit',
    {
      config,
      schema: { tags, ...about.audit, querystring: AuditQuery, response: { 200: z.array(AuditEvent) } },
    },
    async (request, reply) =>
      linkPages(request, reply, await operators.audit(request.principal, request.query)),
  )
}

/** People who come back under another identity, and people who leave. */
export const adminPeopleRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  const { operators } = registry
  app.post(
    '/admin/accounts/:slug/identities',
    {
      config,
      schema: {
        tags,
        ...about.linkIdentity,
        params: AccountPath,
        body: LinkIdentity,
        response: { 200: LinkedIdentity },
      },
    },
    async ({ principal, params, body }) => operators.linkIdentity(principal, params.slug, body),
  )

  app.post(
    '/admin/accounts/:slug/transfer',
    {
      config,
      schema: {
        tags,
        ...about.handOver,
        params: AccountPath,
        body: HandOver,
        response: { 200: HandedOver },
      },
    },
    async ({ principal, params, body }) => ({
      collections: await operators.handOver(principal, params.slug, body),
    }),
  )
}
