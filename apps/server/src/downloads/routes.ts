/** `/downloads/<file>`: packages that this server offers, and their hashes. The page that lists them belongs to the web interface. */
import { createReadStream } from 'node:fs'
import { RegistryError } from '@ulmus/registry'
import type { FastifyPluginAsync } from 'fastify'
import type { Downloads, StoredDownload } from './downloads.ts'

const options = { compress: false, config: { credentials: false }, schema: { hide: true } } as const

/** Caches must revalidate: servers from different sources offer different packages under the same name. */
const cacheControl = 'public, no-cache'

export const downloadRoutes: FastifyPluginAsync<{ downloads: Downloads }> = async (app, { downloads }) => {
  app.addHook('onClose', () => downloads.close())

  const ready = async (): Promise<readonly StoredDownload[]> => {
    const all = await downloads.all()
    if (all.length === 0) throw new RegistryError('downloads_unavailable')
    return all
  }

  app.get('/downloads/SHA256SUMS', options, async (_request, reply) => {
    const lines = (await ready()).map(({ file, sha256 }) => `${sha256}  ${file}\n`)
    return reply.header('Cache-Control', cacheControl).type('text/plain; charset=utf-8').send(lines.join(''))
  })

  app.get<{ Params: { file: string } }>('/downloads/:file', options, async (request, reply) => {
    const { file } = request.params
    // Do not start a build for a name that no version of ours has.
    if (!/^ulmus[\w.-]*\.tgz$/.test(file)) return reply.callNotFound()
    const found = (await ready()).find((one) => one.file === file)
    if (found === undefined) return reply.callNotFound()
    reply.tagBy(found.sha256)
    return (
      reply
        .headers({ 'Cache-Control': cacheControl, 'Content-Length': found.size })
        .type('application/gzip')
        // The stream of a HEAD is drained. One byte suffices: the announced length stays.
        .send(createReadStream(found.path, request.method === 'HEAD' ? { end: 0 } : {}))
    )
  })
}
