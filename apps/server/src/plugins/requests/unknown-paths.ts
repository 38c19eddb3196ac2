/** Requests without a route: 405 if the path is known with another method, else 404. */
import { RegistryError } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

/** Call it before routes are registered: it collects them as they are added. */
export function answerUnknownPaths(app: FastifyInstance): void {
  const known: { matches: (path: string) => boolean; method: string }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*' || url === '/*') return
    for (const one of [method].flat()) known.push({ matches: matcherOf(url), method: one })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const allowed = new Set(known.filter(({ matches }) => matches(path)).map(({ method }) => method))
    // A wildcard route, as for files of the signed log, may have found nothing at this path.
    if (allowed.size === 0 || allowed.has(request.method))
      throw new RegistryError('route_not_found', { say: { path } })
    const allow = [...allowed].sort().join(', ')
    reply.header('Allow', allow)
    throw new RegistryError('method_not_allowed', { say: { method: request.method, allow } })
  })
}

/** Matches paths against a route's URL: `/a/:b/c/*`, `/:b(^[a-z]+$)/c`. */
function matcherOf(url: string): (path: string) => boolean {
  const parts = url.split('/').map(partMatcher)
  const isOpen = url.endsWith('*')
  return (path) => {
    const segments = path.split('/')
    const isLong = isOpen ? segments.length >= parts.length : segments.length === parts.length
    return isLong && parts.every((matches, index) => matches(segments[index]!))
  }
}

function partMatcher(part: string): (segment: string) => boolean {
  const [, rule] = /^:\w+\((.*)\)$/.exec(part) ?? []
  if (rule !== undefined) {
    const pattern = new RegExp(rule)
    return (segment) => pattern.test(segment)
  }
  if (part.startsWith(':')) return (segment) => segment !== ''
  return part === '*' ? () => true : (segment) => segment === part
}
