/** The web interface over HTTP: pages of `@ulmus/web`, read and posted as the visitor; what they load; refusals as pages. */
import formbody from '@fastify/formbody'
import { type Caller, Moved, type Registry } from '@ulmus/registry'
import {
  type Answer,
  documentOf,
  openAssets,
  type Page,
  Plain,
  pages,
  Redirect,
  refusalPage,
  type Visit,
} from '@ulmus/web'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { refusalOf, statusFor } from '../plugins/answers/errors.ts'
import { KeptAnswer } from '../plugins/kept.ts'
import type { SessionCookie } from '../plugins/requests/session-cookie.ts'

export interface PageOptions {
  readonly registry: Registry
  /** Where readers reach this server, as `https://registry.example`. */
  readonly origin: () => string
  readonly session: SessionCookie
}

/** Pages load what this server has, and send forms to it. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** A form holds a readme of 1 MiB at most, of which percent-encoding makes three. Bytes. */
const formBytesMax = 4 * 1024 ** 2
const assetSeconds = 31_536_000

export const pageRoutes: FastifyPluginAsync<PageOptions> = async (app, options) => {
  await app.register(formbody, { bodyLimit: formBytesMax })
  const schema = { hide: true } as const
  const assets = await openAssets()
  for (const [path, { type, text }] of assets.files) {
    const kept = new KeptAnswer(type, text)
    app.get(path, { compress: false, config: { credentials: false }, schema }, async (request, reply) =>
      kept.send(request, reply.header('Cache-Control', `public, max-age=${assetSeconds}, immutable`)),
    )
  }

  const send = (request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply => {
    if (answer instanceof Redirect) return reply.redirect(answer.to, answer.status)
    if (answer instanceof Plain) return reply.type(answer.type).send(answer.text)
    const frame = { caller: callerOf(request), url: urlOf(request), origin: options.origin(), assets }
    return reply
      .code(answer.status ?? 200)
      .headers({ 'Content-Security-Policy': pagePolicy, 'Referrer-Policy': 'same-origin' })
      .type('text/html; charset=utf-8')
      .send(documentOf(answer, frame))
  }
  /** Signing in or looking elsewhere helps; programs that ask for JSON are answered by it. */
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof Moved) return reply.redirect(movedTo(error, request), 308)
    const refusal = refusalOf(error, request)
    const status = statusFor(refusal.code)
    if (status >= 500) request.log.error({ err: error, code: refusal.code }, refusal.message)
    if (status === 503 || status === 429) reply.header('Retry-After', 5)
    return send(request, reply, refusalPage(refusal, status, request.url, callerOf(request) !== undefined))
  }

  for (const page of pages) {
    const route = { schema, errorHandler: refuse } as const
    app.get(page.path, route, async (request, reply) => {
      if (page.needsCaller === true && callerOf(request) === undefined)
        return reply.redirect(`/auth/login?return_to=${encodeURIComponent(request.url)}`, 302)
      return send(request, reply, await page.show(visitOf(request, options)))
    })
    if (page.act === undefined) continue
    app.post(page.path, { ...route, bodyLimit: formBytesMax }, async (request, reply) =>
      send(request, reply, await actOn(page, request, options)),
    )
  }
  app.post(
    '/sign-out',
    { schema, errorHandler: refuse, config: { limited: 'sign-in' } },
    async (request, reply) => {
      const token = options.session.read(request)
      if (token !== undefined) await options.registry.sessions.end(token)
      options.session.clear(reply)
      return reply.redirect('/', 303)
    },
  )
}

const actOn = (page: Page, request: FastifyRequest, options: PageOptions): Promise<Answer> => {
  const form = (request.body ?? {}) as Record<string, string | string[]>
  const fields = Object.entries(form).map(([name, value]) => [name, [value].flat().at(-1)!])
  return page.act!(visitOf(request, options), Object.fromEntries(fields))
}

const callerOf = ({ principal }: FastifyRequest): Caller | undefined =>
  principal.kind === 'anonymous' ? undefined : principal

const urlOf = ({ url }: FastifyRequest): URL => new URL(url, 'http://path')

const visitOf = (request: FastifyRequest, { registry, origin }: PageOptions): Visit => ({
  registry,
  who: request.principal,
  caller: callerOf(request),
  params: request.params as Record<string, string>,
  url: urlOf(request),
  origin: origin(),
})

/** The same page at the new slugs. */
function movedTo({ to }: Moved, request: FastifyRequest): string {
  const [path = '', query] = request.url.split(/\?(.*)/s, 2)
  const segments = path.split('/')
  segments[1] = to.owner
  if (to.slug !== undefined) segments[2] = to.slug
  return `${segments.join('/')}${query === undefined ? '' : `?${query}`}`
}
