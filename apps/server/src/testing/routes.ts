/** Collects the routes of a server as they are registered, from all plugins. */
import diagnostics from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** Returns the result of `make` and its routes, such as `GET /:owner`. Omits HEAD and OPTIONS, which follow from the others. */
export async function routesOf<Made>(
  make: () => Promise<Made>,
): Promise<{ made: Made; routes: ReadonlySet<string> }> {
  const routes = new Set<string>()
  const learn = ({ method, url }: RouteOptions): void => {
    for (const one of [method].flat()) if (one !== 'HEAD' && one !== 'OPTIONS') routes.add(`${one} ${url}`)
  }
  const listen = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', learn)
  diagnostics.subscribe('fastify.initialization', listen)
  try {
    return { made: await make(), routes }
  } finally {
    diagnostics.unsubscribe('fastify.initialization', listen)
  }
}
