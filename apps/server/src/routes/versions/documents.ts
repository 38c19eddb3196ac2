/** Documents about a version for other programs. docs/reading.md */
import { citationsOf, croissantOf, croissantType, dataPackageOf, describeVersion } from '@ulmus/web'
import type { TableQuery, VersionPath } from '@ulmus/wire'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'

/** Media types of citations, as `operations/documents.ts` of the wire package declares them. */
const citationTypes = {
  'citation.txt': 'text/plain; charset=utf-8',
  'citation.bib': 'application/x-bibtex; charset=utf-8',
  'citation.ris': 'application/x-research-info-systems; charset=utf-8',
  'citation.csl.json': 'application/vnd.citationstyles.csl+json',
} as const

export const documentRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  type Request = FastifyRequest & { params: VersionPath; query: TableQuery }
  const described = ({ principal, params, query }: Request) =>
    describeVersion(registry, principal, params, { origin: origin(), asPublic: query.view === 'public' })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/croissant.json', async (request, reply) => {
    const text = `${JSON.stringify(await croissantOf(await described(request)))}\n`
    // As bytes: Fastify adds a charset to texts, which JSON-LD does not have.
    return reply.type(croissantType).send(Buffer.from(text))
  })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/datapackage.json', async (request) =>
    dataPackageOf(await described(request)),
  )

  for (const file of Object.keys(citationTypes) as (keyof typeof citationTypes)[])
    serve(app, `GET /api/collections/:owner/:slug/versions/:v/${file}`, async (request, reply) => {
      const version = await described(request)
      const { text } = citationsOf(version, version.cited, version.origin).find((one) => one.file === file)!
      return reply.type(citationTypes[file]).send(`${text}\n`)
    })
}
