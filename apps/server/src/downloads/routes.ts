/** `/downloads/<file>`: the packages that this server offers, and their hashes. The page that lists them is one of the web interface. */
import { createReadStream } from 'node:fs'
import { RegistryError } from '@ulmus/registry'
import type { FastifyPluginAsync } from 'fastify'
import type { Downloads, StoredDownload } from './downloads.ts'

const options = { compress: false, config: { credentials: false }, schema: { hide: true } } as const

/** Anyone may keep them, and asks each time whether they are still the same: a server from other sources has others of one name. */
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
    // A name that no version of ours has needs no build.
    if (!/^ulmus[\w.-]*\.tgz$/.test(file)) return reply.callNotFound()
    const found = (await ready()).find((one) => one.file === file)
    if (found === undefined) return reply.callNotFound()
    reply.tagBy(found.sha256)
    return (
      reply
        .headers({ 'Cache-Control': cacheControl, 'Content-Length': found.size })
        .type('application/gzip')
        // Of a HEAD the stream is drained: a byte keeps the length that was announced.
        .send(createReadStream(found.path, request.method === 'HEAD' ? { end: 0 } : {}))
    )
  })
}
