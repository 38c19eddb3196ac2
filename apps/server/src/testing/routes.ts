/** The routes of servers as they are made, whichever plugin brings them. */
import diagnostics from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** What `make` gives, and the routes that it brought: `GET /:owner`. Answers to HEAD and OPTIONS come with the others. */
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
