/** Liveness and readiness probes for load balancers and service managers. They need no credential and have no rate limit. */
import type { Registry } from '@ulmus/registry'
import type { FastifyPluginAsync } from 'fastify'
import { keptFor } from '../plugins/kept.ts'

/** Cache time of readiness: the probe queries both stores and needs no credential. Milliseconds. */
const keptMilliseconds = 1_000

const probe = { config: { credentials: false, limited: false }, schema: { hide: true } } as const

export const probeRoutes: FastifyPluginAsync<{ registry: Pick<Registry, 'health'> }> = async (
  app,
  { registry },
) => {
  /** Liveness: the process answers. */
  app.get('/healthz', probe, async () => ({ status: 'ok' }))

  const check = keptFor(keptMilliseconds, () => registry.health.check())
  /** Readiness: the database has all migrations, and the object store answers. */
  app.get('/readyz', probe, async (_request, reply) => {
    const health = await check()
    return reply.code(health.ready ? 200 : 503).send(health)
  })

  /** Old browsers request it beside every page, even if the page names another icon. */
  app.get('/favicon.ico', { ...probe, config: { credentials: false } }, async (_request, reply) =>
    reply.code(204).header('Cache-Control', 'public, max-age=86400').send(),
  )
}
