/** Builds the HTTP server: plugins, then the routes. Hooks run in the order of registration, so keep the order of the plugins. */

import type { Server as HttpServer } from 'node:http'
import cookie from '@fastify/cookie'
import type { Registry } from '@ulmus/registry'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyServerOptions,
} from 'fastify'
import { build, version } from './build.ts'
import type { Config } from './config.ts'
import './plugins/requests/carried.ts'
import { docRoutes } from './docs/routes.ts'
import type { Downloads } from './downloads/downloads.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { ApiReference, showApi } from './openapi/page.ts'
import { compressAnswers, nameCodings } from './plugins/answers/compression.ts'
import { completeTags, tagAnswers } from './plugins/answers/entity-tags.ts'
import { answerByKind, answerError, answerErrors, answerUnreadable } from './plugins/answers/errors.ts'
import { repeatAnswers } from './plugins/answers/repeated.ts'
import { secureAnswers } from './plugins/answers/security.ts'
import { StreamLog } from './plugins/answers/streams.ts'
import { measure } from './plugins/metrics.ts'
import { dropUnreadBodies, jsonBytesMax, readStrictJson } from './plugins/requests/bodies.ts'
import { headersTimes, limitConnections } from './plugins/requests/connections.ts'
import { closeWhileDraining } from './plugins/requests/draining.ts'
import { refuseForNewerRelease } from './plugins/requests/newer-release.ts'
import { admitCallers, knowPrincipals } from './plugins/requests/principal.ts'
import { limitRates } from './plugins/requests/rate-limits.ts'
import { hintAtProxy, logRequests, nameRequest, nameRequests } from './plugins/requests/request-log.ts'
import { sessionCookie } from './plugins/requests/session-cookie.ts'
import { cutSlowAnswers, cutSlowBodies } from './plugins/requests/slow-peers.ts'
import { answerUnknownPaths } from './plugins/requests/unknown-paths.ts'
import { checkShapes, endJsonLines } from './plugins/shapes.ts'
import { apiRoutes } from './routes/index.ts'
import { probeRoutes } from './routes/probes.ts'
import { logFileRoutes } from './routes/version-log.ts'
import { devProviderRoutes, refuseProxied } from './sign-in/dev-provider.ts'
import { exchangeRoutes } from './sign-in/exchange.ts'
import type { IdentityProvider } from './sign-in/identity-provider.ts'
import { pendingCookie } from './sign-in/pending-cookie.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { type PageOptions, pageRoutes, refuseByPage } from './web/routes.ts'

export interface AppOptions {
  readonly registry: Registry
  readonly config: Config
  readonly log: FastifyBaseLogger
  /** Identity provider of sign-ins. */
  readonly provider: IdentityProvider
  /** Client secret at the provider. The built-in provider runs only if `config.oidc` is null. */
  readonly clientSecret: string
  /** Public address. Final only once the server listens. */
  readonly origin: () => string
  /** Limit of concurrent connections. */
  readonly connectionsMax: number
  readonly downloads: Downloads
  /** Report answers without their documented shape as errors. For tests. */
  readonly checkAnswers?: boolean
}

/** Longest path parameter: a record's id, percent-encoded. Characters. */
const pathParameterCharactersMax = 8_192

/** Builds the app without listening. `close` waits for running requests; the caller closes the registry. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { registry, config } = options
  const https = config.publicUrl?.startsWith('https:') === true
  const browserCookie = sessionCookie({ https })
  const { downloads } = options
  const { site, readmeImages } = config
  const reference = new ApiReference({ sessionCookie: browserCookie.name, version })
  const pages = {
    ...{ registry, origin: options.origin, session: browserCookie },
    ...{ site, readmeImages, downloads, reference },
  }
  const app = Fastify(serverOptions(options, pages))
  checkShapes(app, { checkAnswers: options.checkAnswers === true })
  answerErrors(app, refuseByPage(pages))
  answerUnknownPaths(app)
  readStrictJson(app)

  const openConnections = limitConnections(
    app.server,
    { most: options.connectionsMax, trustProxy: trustOf(config.trustProxy) },
    options.log,
  )
  nameRequests(app)
  logRequests(app, config.requestLog)
  if (config.trustProxy === false) hintAtProxy(app)
  nameCodings(app)
  dropUnreadBodies(app)
  cutSlowBodies(app)
  cutSlowAnswers(app)
  await secureAnswers(app, { https })
  refuseForNewerRelease(app, registry)
  closeWhileDraining(app, registry)
  await app.register(cookie)
  knowPrincipals(app, registry, browserCookie)
  if (config.rateLimits !== null) limitRates(app, registry.rates, config.rateLimits)
  admitCallers(app, options.origin)

  endJsonLines(app)
  tagAnswers(app)
  await compressAnswers(app)
  repeatAnswers(app, registry)
  completeTags(app)
  const { figures, load } = registry
  measure(app, { figures, load, openConnections, version, build })

  await app.register(apiRoutes, { prefix: '/api', registry, origin: options.origin })
  await app.register(probeRoutes, { registry })
  await app.register(logFileRoutes, { registry })
  await app.register(signInRoutes, {
    refuse: refuseByPage(pages, '/auth/login'),
    registry,
    provider: options.provider,
    pending: pendingCookie(options.clientSecret, { https }),
    session: browserCookie,
    origin: options.origin,
    originIsSet: config.publicUrl !== null,
    admit: config.oidc === null ? refuseProxied : undefined,
  })
  if (config.oidc === null) {
    await app.register(devProviderRoutes, { origin: options.origin, clientSecret: options.clientSecret })
  }
  await app.register(exchangeRoutes, { registry, origin: options.origin })
  await app.register(downloadRoutes, { downloads })
  await app.register(docRoutes, { origin: options.origin })
  await app.register(pageRoutes, pages)
  await showApi(app, reference)
  return app
}

function serverOptions(
  { config, log }: AppOptions,
  pages: PageOptions,
): FastifyHttpOptions<HttpServer, FastifyBaseLogger> {
  return {
    loggerInstance: log,
    logController: new StreamLog(),
    trustProxy: trustOf(config.trustProxy),
    http: headersTimes,
    bodyLimit: jsonBytesMax,
    genReqId: nameRequest,
    requestIdHeader: false,
    rewriteUrl: ({ url = '/' }) => pathAndQuery(url),
    forceCloseConnections: 'idle',
    // While the server drains, it answers requests on open connections and then closes each connection.
    return503OnClosing: false,
    routerOptions: { maxParamLength: pathParameterCharactersMax },
    clientErrorHandler: answerUnreadable,
    // Errors before a route is found, such as a malformed path.
    frameworkErrors: (error, request, reply) =>
      void answerByKind(error, request, reply, refuseByPage(pages)).catch((fault: unknown) =>
        answerError(fault, request, reply),
      ),
  }
}

/** Trusts a number of hops: Fastify then cannot tell proxies from direct clients. See docs/configuration.md. */
function trustOf(trust: Config['trustProxy']): FastifyServerOptions['trustProxy'] {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}

const absoluteForm = /^https?:\/\/[^/?#]+([^#]*)$/i

/**
 * Path and query of a request target (RFC 9112 §3.2), which may be in absolute form. Returns any other target unchanged, for the
 * router to refuse.
 */
export function pathAndQuery(target: string): string {
  if (target.startsWith('/')) return target
  const named = absoluteForm.exec(target)?.[1]
  if (named === undefined || !URL.canParse(target)) return target
  return named.startsWith('/') ? named : `/${named}`
}
