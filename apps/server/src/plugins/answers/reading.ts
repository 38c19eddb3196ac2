/** Hooks for routes of the API: memory budget of answers, headers about what was read. */
import { hearingNotices, type Registry, resourceText } from '@ulmus/registry'
import type { FastifyInstance, FastifyRequest } from 'fastify'
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

/**
 * Names in `X-Resource` what an answer is about, so that clients notice an answer to another request: a cache or a mirror may mix them up.
 * Marks answers of deprecated versions with `Deprecation` (RFC 9745). http-api §1, §11.
 */
export function nameAnswers(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const { handler, path } = route
    route.handler = function (request, reply) {
      void reply.header('X-Resource', resourceOf(path, request))
      const handle = async () => handler.call(this, request, reply)
      if (!readsVersion.test(path)) return handle()
      let isNamed = false
      return hearingNotices(
        {
          deprecated: (since) => void reply.header('Deprecation', `@${Math.floor(since.getTime() / 1_000)}`),
          // A difference reads the version of its path first.
          resolved(name) {
            if (!isNamed) void reply.header('X-Resource', resourceOf(path, request, name))
            isNamed = true
          },
        },
        handle,
      )
    }
  })
}

/** @param version name of the version that the request was found to be about */
function resourceOf(pattern: string, { params, raw }: FastifyRequest, version?: string): string {
  const values: Record<string, string> = {
    ...(params as Record<string, string>),
    ...(version !== undefined && { v: version }),
  }
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(raw.url?.split(/\?(.*)/s, 2)[1] ?? '')
  if (version !== undefined && pattern.endsWith('/export')) query.set('version', version)
  return resourceText(path, query.toString())
}
