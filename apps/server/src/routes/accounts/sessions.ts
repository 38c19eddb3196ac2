/** Browsers that an account is signed in with, over HTTP: listed, and signed out. */
import { BrowserSession, Done, SessionPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as about from '../descriptions/sessions.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['accounts']
const config = { entrance: { scope: 'admin', unlimited: true } } as const
const root = '/accounts/me/sessions'

export const browserSessionRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    root,
    { config, schema: { tags, ...about.listSessions, response: { 200: z.array(BrowserSession) } } },
    async (request) => registry.sessions.list(request.principal),
  )

  app.delete(
    root,
    { config, schema: { tags, ...about.endOtherSessions, response: { 200: Done } } },
    async (request) => {
      await registry.sessions.endOthers(request.principal)
      return { ok: true as const }
    },
  )

  app.delete(
    `${root}/:id`,
    { config, schema: { tags, ...about.endSession, params: SessionPath, response: { 200: Done } } },
    async (request) => {
      await registry.sessions.endOne(request.principal, request.params.id)
      return { ok: true as const }
    },
  )
}
