/** Answers that read a deprecated version say so. RFC 9745; http-api §11. */
import { hearingNotices } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

/** For every route of the scope that reads a version named in its path. */
export function tellDeprecation(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (!route.path.includes('/:v') && !route.path.endsWith('/export')) return
    const { handler } = route
    route.handler = function (request, reply) {
      const tell = (since: Date) =>
        void reply.header('Deprecation', `@${Math.floor(since.getTime() / 1_000)}`)
      return hearingNotices(tell, async () => handler.call(this, request, reply))
    }
  })
}
