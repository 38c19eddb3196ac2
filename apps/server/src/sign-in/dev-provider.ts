/**
 * Built-in identity provider for development: a real OpenID Connect provider under `/dev/idp` that signs visitors in as any user they name.
 * It stores everything in memory. `readConfig` refuses to start it where other people could reach it.
 */
import { generateKeyPair, type JsonWebKey, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import formbody from '@fastify/formbody'
import { RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Configuration } from 'oidc-provider'
import { isLoopback } from '../loopback.ts'
import { receiveBytes } from '../plugins/requests/bodies.ts'
import { demandSameSite } from '../plugins/requests/session-cookie.ts'
import { memoryAdapter } from './dev-memory.ts'
import { devPage, devPagePolicy } from './dev-page.ts'

export const devPath = '/dev/idp'
/** Issuer in stored identities. It does not contain the port, so that accounts stay the same. */
export const devIssuer = 'urn:ulmus:development'
export const devClientId = 'ulmus'

export interface DevProviderOptions {
  readonly origin: () => string
  readonly clientSecret: string
}

interface Person {
  readonly login: string
  readonly name: string
  readonly email: string
}

export const devProviderRoutes: FastifyPluginAsync<DevProviderOptions> = async (app, options) => {
  /** By login, which is also the subject. */
  const people = new Map<string, Person>()
  let made: Promise<Provider> | undefined
  const provider = () => {
    made ??= makeProvider(options, people)
    return made
  }
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, credentials: false, limited: 'sign-in' }
    route.schema = { hide: true }
  })
  // Refuse pages of other sites whose name resolves to this machine (DNS rebinding), and unknown proxies.
  app.addHook('onRequest', async (request) => {
    if (!isLoopback(request.hostname)) throw new RegistryError('route_not_found', { say: { path: devPath } })
    refuseProxied(request)
  })
  await app.register(async (scope) => askWhoYouAre(scope, { provider, people, origin: options.origin }))
  await app.register(async (scope) => {
    receiveBytes(scope)
    scope.all(`${devPath}/*`, async (request, reply) => {
      const handle = (await provider()).callback()
      const raw = Object.assign(request.raw, { originalUrl: request.raw.url })
      raw.url = request.raw.url?.slice(devPath.length)
      reply.helmet()
      reply.hijack()
      await handle(raw, reply.raw)
    })
  })
}

/**
 * Refuses requests through a proxy, because its client can be anyone. Proxies add one of these headers; nginx by default adds none, but
 * uses HTTP/1.0, unlike any browser.
 * @throws development_only
 */
export function refuseProxied(request: FastifyRequest): void {
  const isProxied = Object.keys(request.headers).some((name) =>
    /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name),
  )
  if (isProxied || request.raw.httpVersion === '1.0') throw new RegistryError('development_only')
}

/** The form that handles the interaction of every sign-in. */
async function askWhoYouAre(
  scope: FastifyInstance,
  {
    provider,
    people,
    origin,
  }: { provider: () => Promise<Provider>; people: Map<string, Person>; origin: () => string },
) {
  scope.addHook('onRequest', async (request) => demandSameSite(request, origin()))
  await scope.register(formbody)
  const show = (reply: FastifyReply, problem?: string) =>
    reply
      .header('Content-Security-Policy', devPagePolicy)
      // With Helmet's `no-referrer` the form would send `Origin: null`, as any site could.
      .header('Referrer-Policy', 'same-origin')
      .header('Cache-Control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(devPage(problem))
  const path = `${devPath}/interaction/:uid`

  scope.get(path, async (request, reply) => {
    await demandInteraction(await provider(), request.raw, reply.raw)
    return show(reply)
  })

  scope.post<{ Body: Partial<Person> | undefined }>(path, async (request, reply) => {
    await demandInteraction(await provider(), request.raw, reply.raw)
    const person = personFrom(request.body ?? {})
    if (person === undefined)
      return show(reply.code(400), 'A login is needed: a handle of 1 to 100 characters.')
    people.set(person.login, person)
    const finish = await provider()
    reply.helmet()
    reply.hijack()
    await finish.interactionFinished(request.raw, reply.raw, { login: { accountId: person.login } })
  })
}

type Raw = Parameters<Provider['interactionDetails']>

async function demandInteraction(provider: Provider, ...raw: Raw): Promise<void> {
  await provider.interactionDetails(...raw).catch((cause: unknown) => {
    const reason = 'This page was open for too long, or was opened in another browser.'
    throw new RegistryError('sign_in_failed', { say: { reason }, cause })
  })
}

function personFrom(body: Partial<Person>): Person | undefined {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
  const login = text(body.login)
  if (login === '' || login.length > 100 || /\p{Cc}/u.test(login)) return undefined
  return {
    login,
    name: text(body.name) || login,
    email: text(body.email) || `${encodeURIComponent(login)}@localhost`,
  }
}

async function makeProvider(
  { origin, clientSecret }: DevProviderOptions,
  people: Map<string, Person>,
): Promise<Provider> {
  // Large, so load it at the first sign-in.
  const { default: OidcProvider } = await import('oidc-provider')
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const key: JsonWebKey = privateKey.export({ format: 'jwk' })
  const configuration: Configuration = {
    adapter: memoryAdapter(),
    jwks: { keys: [{ ...key, alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: devClientId,
        client_secret: clientSecret,
        redirect_uris: [`${origin()}/auth/callback`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'name'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `${devPath}/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context, subject) => {
      const person = people.get(subject)
      if (person === undefined) return undefined
      const { login, name, email } = person
      return {
        accountId: subject,
        claims: () => ({ sub: subject, preferred_username: login, name, email, email_verified: true }),
      }
    },
    // The only client is this server, so no consent is needed. Client and session exist at this step.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  }
  return new OidcProvider(`${origin()}${devPath}`, configuration)
}
