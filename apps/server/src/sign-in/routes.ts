/** Sign-in and sign-out with a browser. http-api §2. */
import formbody from '@fastify/formbody'
import { deviceLoginSeconds, devicePollSeconds, peerOf, type Registry, RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../loopback.ts'
import { answerError, wantsPage } from '../plugins/answers/errors.ts'
import { dataPolicy } from '../plugins/answers/security.ts'
import type { SessionCookie } from '../plugins/requests/session-cookie.ts'
import { done, serve } from '../routes/serve.ts'
import { failedSignIn } from './faults.ts'
import type { IdentityProvider } from './identity-provider.ts'
import type { NoPending, PendingCookie } from './pending-cookie.ts'

export interface SignInOptions {
  readonly registry: Pick<Registry, 'accounts' | 'sessions' | 'deviceLogins'>
  readonly provider: IdentityProvider
  readonly pending: PendingCookie
  readonly session: SessionCookie
  /** Public address of this server, as `https://registry.example`. */
  readonly origin: () => string
  /** True if `origin` is configured; else it is the listening address. */
  readonly originIsSet: boolean
  /** Answers an error with a page. */
  readonly refuse: (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  /** Throws for requests that must not sign in. */
  readonly admit?: (request: FastifyRequest) => void
}

const config = { credentials: false, limited: 'sign-in' } as const

export const signInRoutes: FastifyPluginAsync<SignInOptions> = async (app, options) => {
  const { registry, provider, pending, session, origin } = options
  await app.register(formbody)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store').header('Content-Security-Policy', dataPolicy)
  })

  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    wantsPage(request) ? options.refuse(error, request, reply) : answerError(error, request, reply)

  serve(
    app,
    'GET /auth/login',
    async (request, reply) => {
      options.admit?.(request)
      const returnTo = demandReturnPath(request.query.return_to)
      // Cookies belong to one host, so redirect visitors of another host name to the one that the provider returns to.
      if (!options.originIsSet && isOtherName(request, origin()))
        return reply.redirect(`${origin()}${request.url}`)
      const begun = await provider.begin(`${origin()}/auth/callback`)
      pending.set(reply, { ...begun.pending, returnTo })
      return reply.redirect(begun.url)
    },
    { errorHandler },
  )

  app.get('/auth/callback', { config, errorHandler, schema: { hide: true } }, async (request, reply) => {
    const begun = pending.take(request, reply)
    if (typeof begun === 'string') throw lostSignIn(begun, request, origin())
    const identity = await provider.complete(new URL(request.url, origin()), begun)
    const account = await registry.accounts.signIn(identity).catch((error: unknown) => {
      const { code } = error as { code?: unknown }
      if (code === 'account_suspended')
        request.log.info({ code }, 'A sign-in failed: the account is suspended.')
      throw error
    })
    // Always issue a new token, against session fixation.
    const former = session.read(request)
    if (former !== undefined) await registry.sessions.end(former)
    const { token, expiresAt } = await registry.sessions.open(account, {
      userAgent: request.headers['user-agent'],
      address: request.ip,
    })
    session.set(reply, token, expiresAt)
    return reply.redirect(begun.returnTo)
  })

  deviceRoutes(app, options)

  serve(app, 'POST /auth/logout', async (request, reply) => {
    const token = session.read(request)
    // With an API key the cookie is ignored, so do not end its session.
    if (request.headers.authorization === undefined && token !== undefined) {
      await registry.sessions.end(token)
      session.clear(reply)
    }
    return done
  })
}

/** http-api §10. These routes ignore credentials: the user decides in a browser. */
function deviceRoutes(app: FastifyInstance, { registry, origin }: SignInOptions): void {
  serve(app, 'POST /auth/device', async (request) => {
    const userAgent = request.headers['user-agent'] ?? ''
    const { deviceCode, userCode } = await registry.deviceLogins.start({
      ...request.body,
      userAgent,
      address: request.ip,
      network: peerOf(request.ip),
    })
    const page = `${origin()}/auth/device`
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: deviceLoginSeconds,
      interval: devicePollSeconds,
    }
  })

  serve(app, 'POST /auth/device/token', async ({ body }) => registry.deviceLogins.collect(body.device_code))
}

/** A request with a state was sent here by the provider; others come from anywhere. */
function lostSignIn(lost: NoPending, { url }: FastifyRequest, origin: string): RegistryError {
  const sentences = {
    absent: `the browser came back without the cookie of its sign-in. If that happens to everyone, ${origin} (PUBLIC_URL) is not the address that visitors use, or the proxy drops cookies; else the page was loaded again, or the browser keeps no cookies.`,
    forged:
      'the browser came back with the cookie of another server. If that happens to everyone, the servers of this site have different values of OIDC_CLIENT_SECRET.',
    late: 'the browser came back after more than ten minutes.',
  }
  const wasSent = new URL(url, here).searchParams.has('state')
  const reason = 'It was started in another browser, or more than ten minutes ago.'
  return failedSignIn(wasSent && lost !== 'late' ? 'warn' : 'info', sentences[lost], reason)
}

function demandReturnPath(given: unknown): string {
  if (given === undefined) return '/'
  const path = typeof given === 'string' ? returnPath(given) : undefined
  if (path !== undefined) return path
  const issues = [{ path: 'return_to', message: 'must be a path of this site, such as /collections' }]
  throw new RegistryError('invalid_request', { details: { issues } })
}

function isOtherName(request: FastifyRequest, origin: string): boolean {
  return isLoopback(request.hostname) && request.host !== new URL(origin).host
}

/** Base for parsing. No one can own this host; the result only has to be recognised. */
const here = 'http://here.invalid'

/**
 * Path, query and fragment of `text` as a browser would parse it. Returns undefined if it leads to another site, as `//evil.example`,
 * `/\evil.example` or `/<tab>/evil.example` do.
 */
export function returnPath(text: string): string | undefined {
  if (!text.startsWith('/') || !URL.canParse(text, here)) return undefined
  const url = new URL(text, here)
  // Parse the result again as a browser would: `/.//evil.example` becomes `//evil.example`.
  const path = `${url.pathname}${url.search}${url.hash}`
  if (url.origin !== here || path.startsWith('//') || new URL(path, here).origin !== here) return undefined
  // The end of another sign-in works once.
  return url.pathname.startsWith('/auth/') ? '/' : path
}
