/** The signed log over HTTP. http-api §15. */
import { type Registry, RegistryError } from '@ulmus/registry'
import type { FastifyPluginAsync } from 'fastify'
import { leaving } from '../plugins/answers/leaving.ts'
import type { RouteOptions } from './options.ts'
import { serve } from './serve.ts'

export const versionLogRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  const { versionLog } = registry
  serve(app, 'GET /api/log', async () => versionLog.facts())
  serve(app, 'GET /api/collections/:owner/:slug/log', async ({ principal, params, query }) =>
    versionLog.statements(principal, params, query.after),
  )
  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/log', async ({ principal, params }, reply) =>
    versionLog.ofVersion(principal, params, leaving(reply)),
  )
}

/** A request to a witness has a proof of at most 63 hashes and a signed note. */
const noteBytesMax = 64 * 1_024
const open = { config: { credentials: false }, schema: { hide: true } } as const

/** Files of the log, for any program that reads logs (C2SP tlog-tiles). */
export const logFileRoutes: FastifyPluginAsync<{ registry: Pick<Registry, 'versionLog'> }> = async (
  app,
  { registry: { versionLog } },
) => {
  app.get('/log/checkpoint', open, async (_request, reply) => {
    const checkpoint = await versionLog.checkpoint()
    return reply.header('Cache-Control', 'no-cache').type('text/plain; charset=utf-8').send(checkpoint)
  })
  app.get('/.well-known/ulmus-log.json', open, async (_request, reply) =>
    reply.header('Cache-Control', 'no-cache').send(await versionLog.facts()),
  )
  app.get<{ Params: { '*': string } }>('/log/tile/*', open, async ({ params }, reply) => {
    const bytes = await versionLog.tile(`tile/${params['*']}`)
    if (bytes === undefined) return reply.callNotFound()
    return reply
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .type('application/octet-stream')
      .send(Buffer.from(bytes))
  })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async ({ headers }) => {
      const encoding = headers['content-encoding']
      if (encoding !== undefined)
        throw new RegistryError('unsupported_media_type', { say: { encoding, onlyPlain: true } })
    })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => body)
    const options = { ...open, bodyLimit: noteBytesMax, decompress: false } as const
    scope.post('/log/witness/add-checkpoint', options, async ({ body }, reply) => {
      const answer = await versionLog.cosign(typeof body === 'string' ? body : '')
      return reply
        .code(answer.status)
        .type(answer.type ?? 'text/plain; charset=utf-8')
        .send(answer.body)
    })
  })
}
