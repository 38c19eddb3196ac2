/** Answers 503 once a newer release has migrated the database: this process would read and write tables that it does not know. */
import { type Registry, RegistryError } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

/** Paths that say how this process is. */
const probes = new Set(['/healthz', '/readyz', '/metrics'])

export function refuseForNewerRelease(
  app: FastifyInstance,
  { newerRelease }: Pick<Registry, 'newerRelease'>,
): void {
  app.addHook('onRequest', async (request) => {
    const newer = newerRelease()
    if (newer === undefined || probes.has(request.routeOptions.url ?? '')) return
    throw new RegistryError('unavailable', { say: { newer } })
  })
}
