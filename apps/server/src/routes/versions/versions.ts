/** Versions, their manifests and their differences over HTTP. http-api §7. */
import { signpostsOf } from '@ulmus/web'
import type { DiffPage, Version } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { textIn } from '../../plugins/shapes.ts'
import { linkNext, linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

export const versionRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  serve(
    app,
    'GET /api/collections/:owner/:slug/versions',
    async (request, reply) => {
      const { principal, params, query } = request
      return linkPages(request, reply, await registry.versions.list(principal, params, query))
    },
    { repeated: true },
  )

  serve(
    app,
    'GET /api/collections/:owner/:slug/versions/strip',
    async ({ principal, params }) => registry.strips.read(principal, params),
    { repeated: true },
  )

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v', async ({ principal, params }, reply) => {
    const { owner, slug } = params
    const version = await registry.versions.detail(principal, params)
    const { isAvailable: hasTables } = registry.tables
    const place = { owner, slug, version: version.semver, origin: origin(), hasTables, asPublic: false }
    reply.header('Link', signpostsOf(place, version))
    return textIn<Version>(version)
  })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/files', async ({ principal, params }) =>
    registry.files.list(principal, params),
  )

  serve(app, 'POST /api/collections/:owner/:slug/versions/:v/restore', async ({ principal, params, body }) =>
    registry.restores.restore(principal, params, body),
  )

  serve(app, 'POST /api/collections/:owner/:slug/versions/:v/withdraw', async ({ principal, params, body }) =>
    registry.withdrawals.withdraw(principal, params, body),
  )

  serve(
    app,
    'POST /api/collections/:owner/:slug/versions/:v/deprecate',
    async ({ principal, params, body }) => registry.withdrawals.deprecate(principal, params, body.message),
  )

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/manifest', async (request, reply) => {
    const { principal, params, query } = request
    return linkNext(request, reply, 'cursor', await registry.manifests.page(principal, params, query))
  })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/diff', async (request, reply) => {
    const { principal, params, query } = request
    const page = await registry.diffs.page(principal, params, query)
    return textIn<DiffPage>(linkNext(request, reply, 'cursor', page))
  })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/diff.ndjson', async (request, reply) => {
    const { principal, params, query } = request
    const { hash, lines } = await registry.diffs.stream(principal, params, query)
    reply.tagBy(`${hash} ${JSON.stringify(query)}`)
    reply.type('application/x-ndjson')
    return reply.send(bytesFrom(request, registry.answers.stream(principal, goneOf(reply), 'records', lines)))
  })
}
