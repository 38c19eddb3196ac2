/** The audit log over HTTP. http-api §11. */
import { AuditEvent, AuditQuery, AuditStreamQuery, OrgPath } from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { linesSchema } from '../../openapi/routes.ts'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesLentBy } from '../../plugins/answers/streams.ts'
import { streamed } from '../../plugins/shapes.ts'
import * as about from '../descriptions/audit.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['audit']
const config = { entrance: { scope: 'admin', unlimited: true } } as const

export const auditRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/accounts/:slug/audit',
    {
      config,
      schema: {
        tags,
        ...about.listAudit,
        params: OrgPath,
        querystring: AuditQuery,
        response: { 200: z.array(AuditEvent) },
      },
    },
    async (request, reply) => {
      const { principal, params, query } = request
      return linkPages(request, reply, await registry.audit.list(principal, params.slug, query))
    },
  )

  app.get(
    '/accounts/:slug/audit.ndjson',
    {
      config: { ...config, tagged: false },
      schema: {
        tags,
        ...about.streamAudit,
        params: OrgPath,
        querystring: AuditStreamQuery,
        response: {
          200: streamed(
            'application/x-ndjson',
            'An `AuditEvent` a line, the newest first.',
            linesSchema(AuditEvent),
          ),
        },
      },
    },
    async (request, reply) => {
      const { principal, params, query } = request
      const events = await registry.audit.stream(principal, params.slug, query)
      const lines = registry.answers.stream(principal, goneOf(reply), 'records', events)
      reply.type('application/x-ndjson')
      return reply.send(bytesLentBy(request, lines))
    },
  )
}
