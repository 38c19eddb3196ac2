/** Serves the API description: `/api/openapi.json`, and a browsable `/docs/api`. */
import Fastify, { type FastifyInstance } from 'fastify'
import { KeptAnswer } from '../plugins/kept.ts'
import { type Described, describeApi } from './describe.ts'

/** The reference runs one script of this server and calls no other server. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const referencePath = '/docs/api'
const script = 'js/scalar.js'
/** Cache time of the script under its name with a hash. Seconds. */
const namedSeconds = 31_536_000

/** `/api/openapi.json` and `/docs/api`. */
export async function showApi(app: FastifyInstance, about: Described): Promise<void> {
  let description: KeptAnswer | undefined
  const described = () =>
    (description ??= new KeptAnswer(
      'application/json; charset=utf-8',
      `${JSON.stringify(describeApi(about))}\n`,
    ))
  // Build the description at start: at the first request it would block all others.
  app.addHook('onListen', async () => void described())
  app.get('/api/openapi.json', { compress: false, schema: { hide: true } }, async (request, reply) =>
    described().send(request, reply),
  )

  let pages: Promise<ReadonlyMap<string, KeptAnswer>> | undefined
  const options = { compress: false, config: { credentials: false }, schema: { hide: true } } as const
  app.get(referencePath, options, async (_request, reply) => reply.redirect(`${referencePath}/`, 301))
  app.get<{ Params: { '*': string }; Querystring: { v?: unknown } }>(
    `${referencePath}/*`,
    options,
    async (request, reply) => {
      pages ??= makeReference()
      const page = (await pages).get(request.params['*'])
      if (page === undefined) return reply.callNotFound()
      reply.header('Content-Security-Policy', referencePolicy)
      if (request.query.v === page.hash)
        reply.header('Cache-Control', `public, max-age=${namedSeconds}, immutable`)
      return page.send(request, reply)
    },
  )
}

/**
 * Runs in the page, so it cannot use anything from this module. Without a key the page sends `Bearer` alone, which the server refuses.
 * Without that header, the browser's session cookie counts.
 */
function leaveEmptyKeyOut({ request }: { request: Request }): void {
  if (request.headers.get('Authorization') === 'Bearer') request.headers.delete('Authorization')
}

/** Navigation back to the documentation and the registry: the reference has no page header of its own. */
const wayBack =
  '<nav aria-label="Site" style="font: 15px system-ui; padding: 10px 16px; border-bottom: 1px solid #8884">' +
  '<a href="/">Ulmus</a> / <a href="/docs">Documentation</a> / API reference</nav>'

/** The page and its script by path, 4 MB. Built at the first request. */
async function makeReference(): Promise<ReadonlyMap<string, KeptAnswer>> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  // This instance does not listen.
  const pages = Fastify()
  try {
    await pages.register(reference, {
      routePrefix: referencePath,
      configuration: {
        url: '/api/openapi.json',
        pageTitle: 'Ulmus API reference',
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        hideClientButton: true,
        showDeveloperTools: 'never',
        onRequestBuilt: leaveEmptyKeyOut,
      },
    })
    const read = async (path: string) => {
      const { headers, rawPayload } = await pages.inject(`${referencePath}/${path}`)
      return { type: String(headers['content-type']), bytes: rawPayload }
    }
    const [page, code] = [await read(''), await read(script)]
    const kept = new KeptAnswer(code.type, code.bytes)
    const html = page.bytes
      .toString('utf8')
      .replaceAll(script, `${script}?v=${kept.hash}`)
      .replace(/<body[^>]*>/, (body) => `${body}${wayBack}`)
    return new Map([
      ['', new KeptAnswer(page.type, html)],
      [script, kept],
    ])
  } finally {
    await pages.close()
  }
}
