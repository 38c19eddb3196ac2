/** Answers that read a deprecated version say so. RFC 9745; http-api §11. */
import { hearingNotices } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

/** Of routes that read a version: the one in the path, the one that is exported, or the latest one of a collection. */
const readsVersion = /\/:v(?:\/|$)|\/export$|\/collections\/:owner\/:slug$/

/** For every route of the scope that reads a version. */
export function tellDeprecation(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (!readsVersion.test(route.path)) return
    const { handler } = route
    route.handler = function (request, reply) {
      const tell = (since: Date) =>
        void reply.header('Deprecation', `@${Math.floor(since.getTime() / 1_000)}`)
      return hearingNotices(tell, async () => handler.call(this, request, reply))
    }
  })
}
