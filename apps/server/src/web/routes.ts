/** Web interface over HTTP: pages of `@ulmus/web` with their forms, scripts and styles, and refusals as pages. */
import formbody from '@fastify/formbody'
import {
  type Caller,
  demand,
  giveWay,
  MovedError,
  mayOpenPages,
  type Registry,
  RegistryError,
} from '@ulmus/registry'
import {
  type Answer,
  formsForAnyone,
  openWeb,
  Plain,
  Redirect,
  renderAhead,
  repeated,
  table,
  type Visit,
  type Web,
  withForm,
} from '@ulmus/web'
import { statusOf } from '@ulmus/wire/refusals'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Downloads } from '../downloads/downloads.ts'
import type { ApiReference } from '../openapi/page.ts'
import { addRefusalHeaders, noteRefusal } from '../plugins/answers/errors.ts'
import { countAnswers } from '../plugins/answers/reading.ts'
import { KeptAnswer } from '../plugins/kept.ts'
import { demandSameSite, type SessionCookie } from '../plugins/requests/session-cookie.ts'
import type { SiteSettings } from '../variables/site-settings.ts'

export interface PageOptions {
  readonly registry: Registry
  /** Public address of this server, as `https://registry.example`. */
  readonly origin: () => string
  readonly session: SessionCookie
  readonly site: SiteSettings
  /** True if readmes show images of other sites. */
  readonly readmeImages: boolean
  readonly downloads: Downloads
  readonly reference: ApiReference
}

/** Policy of pages: they load from this server only, and send forms to it. */
const pagePolicy = ({ readmeImages }: Pick<PageOptions, 'readmeImages'>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${readmeImages ? ' https:' : ''}`,
    "connect-src 'self'",
    "form-action 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Limit of a form: a readme of at most 1 MiB takes 3 MiB in percent-encoding. Bytes. */
const formBytesMax = 4 * 1024 ** 2
/** Cache time of scripts and styles, whose names contain hashes. Seconds. */
const assetSeconds = 31_536_000
/** Delay after the server listens until it loads the pages, unless a request comes first. */
const loadAfterMilliseconds = 1_000
const schema = { hide: true } as const
/**
 * These first segments belong to other routes, which also answer unknown paths below them. They are reserved: no account can have them as
 * its name.
 */
const ownerPattern = '/:owner(^(?!(?:api|assets|auth|dev|docs|downloads)$).+)'

export const pageRoutes: FastifyPluginAsync<PageOptions> = async (app, options) => {
  await app.register(formbody, { bodyLimit: formBytesMax })
  // Pages have the memory budget of API answers.
  countAnswers(app, options.registry.answers)
  // Loading the pages blocks the event loop for 0.3 s: do it after the first answers and before the first page.
  let loading: NodeJS.Timeout | undefined
  app.addHook('onListen', async () => {
    loading = setTimeout(() => openWeb().catch(() => {}), loadAfterMilliseconds).unref()
  })
  app.addHook('onClose', async () => clearTimeout(loading))
  options.registry.readmes.onLanded = ({ markdown, owner }) => renderAhead(markdown, owner, options)

  const refuse = refuseByPage(options)
  for (const [pattern, name] of Object.entries(table)) {
    const path = pattern.replace('/:owner', ownerPattern)
    const config = repeated.has(name) ? ({ repeated: true } as const) : {}
    app.get(path, { schema, config, errorHandler: refuse }, async (request, reply) => {
      const web = await openWeb()
      const page = web.pages[name]
      if (page.needsCaller === true && callerOf(request) === undefined)
        return reply.redirect(`/auth/login?return_to=${encodeURIComponent(request.url)}`, 302)
      const view = await page.show(visitOf(web, request, options))
      // Reading and rendering a large record take 20 ms each.
      await giveWay()
      return send(web, options, request, reply, view)
    })
    if (!withForm.has(name)) continue
    const isForAnyone = formsForAnyone.has(name)
    const limits = isForAnyone ? ({ limited: 'reports' } as const) : {}
    const form = { schema, config: limits, errorHandler: refuse, bodyLimit: formBytesMax }
    app.post(path, form, async (request, reply) => {
      const web = await openWeb()
      const page = web.pages[name]
      if (callerOf(request) === undefined) {
        if (!isForAnyone) throw new RegistryError('unauthenticated')
        // Another site must not send forms from the addresses of its visitors. Browsers name it.
        const { origin, 'sec-fetch-site': site } = request.headers
        if ((origin ?? site) !== undefined) demandSameSite(request, options.origin())
      }
      return send(
        web,
        options,
        request,
        reply,
        await page.act!(visitOf(web, request, options), formOf(request)),
      )
    })
  }
  // Unknown paths below a collection and the documents also get an error page, for visitors who follow a link.
  for (const path of [`${ownerPattern}/*`, '/docs/*'])
    app.get(path, { schema, errorHandler: refuse }, async ({ url }) => {
      throw new RegistryError('route_not_found', { say: { path: url.split('?', 1)[0] } })
    })
  serveAssets(app, options)

  const config = { limited: 'sign-in' } as const
  app.post('/sign-out', { schema, errorHandler: refuse, config }, async (request, reply) => {
    const token = options.session.read(request)
    if (token !== undefined) await options.registry.sessions.end(token)
    options.session.clear(reply)
    return reply.redirect('/', 303)
  })
}

/** Answers an error with a page. `retry`: path of its "Try again" link (default: the requested path). */
export const refuseByPage =
  (options: PageOptions, retry?: string) =>
  async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (error instanceof MovedError) return reply.redirect(movedTo(error, request), 308)
    const refusal = noteRefusal(error, request, reply)
    const web = await openWeb()
    const refused = {
      here: retry ?? request.url,
      isSignedIn: callerOf(request) !== undefined,
      requestId: request.id,
    }
    const view = web.refusalPage(refusal, statusOf(refusal.code), refused)
    return send(web, options, request, reply, view)
  }

/** Scripts, styles and the operator's logo, under names that contain their hashes. */
function serveAssets(app: Parameters<typeof pageRoutes>[0], options: PageOptions): void {
  const kept = new Map<string, KeptAnswer>()
  const asset = { compress: false, config: { credentials: false }, schema } as const
  app.get<{ Params: { file: string } }>('/assets/:file', asset, async (request, reply) => {
    const { file } = request.params
    const { logoFile } = options.site
    const script = (await openWeb()).assets.files.get(`/assets/${file}`)
    const found =
      file === logoFile?.file ? logoFile : script && { type: script.type, bytes: Buffer.from(script.text) }
    if (found === undefined) return reply.callNotFound()
    const answer = kept.get(file) ?? new KeptAnswer(found.type, found.bytes)
    kept.set(file, answer)
    // A worker obeys the policy of its own script, and fetches what it verifies from this server.
    const headers = {
      'Content-Security-Policy': pagePolicy(options),
      'Cache-Control': `public, max-age=${assetSeconds}, immutable`,
    }
    return answer.send(request, reply.headers(headers))
  })
}

function send(
  { documentOf, assets }: Web,
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): FastifyReply {
  // Answers to forms may contain a key that is shown once; a page that is not complete shows progress.
  const isComplete = !('body' in answer) || (answer.reloadSeconds === undefined && answer.isPartial !== true)
  if (request.method === 'POST' || !isComplete) reply.header('Cache-Control', 'no-store')
  if (answer instanceof Redirect) return reply.redirect(answer.to, answer.status)
  if (answer instanceof Plain) return reply.type(answer.type).send(answer.text)
  if (answer.links !== undefined) reply.header('Link', answer.links)
  const { site } = options
  const frame = { caller: callerOf(request), url: urlOf(request), origin: options.origin(), site, assets }
  const status = answer.refused === undefined ? 200 : statusOf(answer.refused.code)
  addRefusalHeaders(status, reply)
  return reply
    .code(status)
    .headers({ 'Content-Security-Policy': pagePolicy(options), 'Referrer-Policy': 'same-origin' })
    .type('text/html; charset=utf-8')
    .send(documentOf(answer, frame))
}

/** Form fields by name; of several with one name, the last. */
function formOf({ body }: FastifyRequest): Record<string, string> {
  const fields = Object.entries((body ?? {}) as Record<string, string | string[]>)
  return Object.fromEntries(fields.map(([name, value]) => [name, [value].flat().at(-1)!]))
}

/** A request with a malformed path has no principal. */
const callerOf = ({ principal }: Partial<Pick<FastifyRequest, 'principal'>>): Caller | undefined =>
  principal === undefined || principal.kind === 'anonymous' ? undefined : principal

const urlOf = ({ url }: FastifyRequest): URL => new URL(url, 'http://path')

const visitOf = (
  { assets }: Web,
  request: FastifyRequest,
  { registry, origin, site, readmeImages, downloads, reference }: PageOptions,
): Visit => {
  demand(mayOpenPages(request.principal))
  return {
    registry,
    who: request.principal,
    caller: callerOf(request),
    params: request.params as Record<string, string>,
    url: urlOf(request),
    origin: origin(),
    site,
    readmeImages,
    downloads: () => downloads.state(),
    reference: () => reference.pages(),
    script: assets.script,
  }
}

/** The address of the same page with the new slugs. */
function movedTo({ to }: MovedError, request: FastifyRequest): string {
  const [path = '', query] = request.url.split(/\?(.*)/s, 2)
  const segments = path.split('/')
  segments[1] = to.owner
  if (to.slug !== undefined) segments[2] = to.slug
  return `${segments.join('/')}${query === undefined ? '' : `?${query}`}`
}
