/** Hooks for reading routes: memory budget of answers, `Deprecation` header. */
import { hearingNotices, type Registry } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'
import { goneOf } from './leaving.ts'

const reading: ReadonlySet<unknown> = new Set(['GET', 'HEAD'])

/** Counts the memory of each answer in the scope until it has been sent. Handlers throw busy when an answer does not fit. */
export function countAnswers(scope: FastifyInstance, answers: Registry['answers']): void {
  scope.addHook('onRoute', (route) => {
    if (![route.method].flat().every((method) => reading.has(method))) return
    const { handler } = route
    route.handler = function (request, reply) {
      return answers.whole(request.principal, goneOf(reply), async () => handler.call(this, request, reply))
    }
  })
}

/** Routes that read a version: the one in the path, the exported one, or the latest of a collection. */
const readsVersion = /\/:v(?:\/|$)|\/export$|\/collections\/:owner\/:slug$/

/** Marks answers of deprecated versions with the `Deprecation` header. RFC 9745; http-api §11. */
export function markDeprecation(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (!readsVersion.test(route.path)) return
    const { handler } = route
    route.handler = function (request, reply) {
      const mark = (since: Date) =>
        void reply.header('Deprecation', `@${Math.floor(since.getTime() / 1_000)}`)
      return hearingNotices(mark, async () => handler.call(this, request, reply))
    }
  })
}
