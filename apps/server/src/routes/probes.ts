/** Liveness and readiness probes. */
import type { Registry } from '@ulmus/registry'
import type { FastifyPluginAsync } from 'fastify'
import { keptFor } from '../plugins/kept.ts'

/** It asks the database and the object store, and anyone may ask it. */
const keptMilliseconds = 1_000

const probe = { config: { credentials: false, limited: false }, schema: { hide: true } } as const

export const probeRoutes: FastifyPluginAsync<{ registry: Pick<Registry, 'health'> }> = async (
  app,
  { registry },
) => {
  /** The process answers. */
  app.get('/healthz', probe, async () => ({ status: 'ok' }))

  const check = keptFor(keptMilliseconds, () => registry.health.check())
  /** Everything that requests need is there: database with all migrations, object store. */
  app.get('/readyz', probe, async (_request, reply) => {
    const health = await check()
    return reply.code(health.ready ? 200 : 503).send(health)
  })

  /** Old browsers ask for it beside every page, whatever the page says of its icon. */
  app.get('/favicon.ico', { ...probe, config: { credentials: false } }, async (_request, reply) =>
    reply.code(204).header('Cache-Control', 'public, max-age=86400').send(),
  )
}
