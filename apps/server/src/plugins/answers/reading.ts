/** Hooks for reading routes: memory budget of answers, `Deprecation` header, end of an answer. */
import { hearingNotices, type Registry } from '@ulmus/registry'
import type { FastifyInstance, FastifyReply } from 'fastify'

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

/** Resolves when the answer has been sent, or its connection closed. */
export const goneOf = ({ raw }: FastifyReply): Promise<void> =>
  new Promise((resolve) => {
    if (raw.closed) resolve()
    else raw.once('close', resolve)
  })

/** Aborts when the connection closes before the answer was sent. Fastify's own signal also aborts when the body has been read to its end. */
export function leaving({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const close = () => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) close()
  else raw.once('close', close)
  return controller.signal
}
