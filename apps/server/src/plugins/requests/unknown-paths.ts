/** What no route answers: 405 where the path is known and the method is not, 404 elsewhere. */
import { RegistryError } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

/** Call it before routes are registered: it learns them as they come. */
export function answerUnknownPaths(app: FastifyInstance): void {
  const known: { pattern: RegExp; method: string }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*' || url === '/*') return
    for (const one of [method].flat()) known.push({ pattern: patternOf(url), method: one })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const allowed = new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    // A route of many paths, as of the API reference's files, may have found nothing at this one.
    if (allowed.size === 0 || allowed.has(request.method))
      throw new RegistryError('route_not_found', { say: { path } })
    const allow = [...allowed].sort().join(', ')
    reply.header('Allow', allow)
    throw new RegistryError('method_not_allowed', { say: { method: request.method, allow } })
  })
}

/** A route's URL, `/a/:b/c/*`, as the paths it stands for. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => {
      const [, rule] = /^:\w+\(\^(.*)\)$/.exec(part) ?? []
      if (rule !== undefined) return rule.replaceAll('$', '(?=/|$)').replaceAll('.+', '[^/]+')
      if (part.startsWith(':')) return '[^/]+'
      return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
    })
    .join('/')
  return new RegExp(`^${source}$`)
}
