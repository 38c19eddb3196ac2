/** Answers of a provider that a proxy, a bug, a setting or an attacker has changed. The provider here is real HTTP with real signatures. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OperatorNoteError } from '../plugins/answers/errors.ts'
import { identityProvider } from './identity-provider.ts'

const clientId = 'ulmus'
const clientSecret = 'very-secret'
const ours = generateKeyPairSync('rsa', { modulusLength: 2048 })
const others = generateKeyPairSync('rsa', { modulusLength: 2048 })

let server: Server
let issuer: string
/** The ID token that the token endpoint returns. */
let idToken = ''

interface ProviderAnswer {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
/** Answers in place of the right ones, by path. */
let wrong: Record<string, ProviderAnswer> = {}
beforeEach(() => {
  wrong = {}
})

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url!, issuer).pathname
    if (path in wrong) {
      const { status = 200, body = {}, headers } = wrong[path]!
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      return response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    const answers: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({
        keys: [{ ...ours.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }],
      }),
      '/userinfo': () => ({ sub: '7', email: 'ann@example.org' }),
      '/token': () => ({ access_token: accessToken, token_type: 'Bearer', id_token: idToken }),
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[path]?.() ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

function tokenOf(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'RS256', kid: 'a' })}.${part(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

const accessToken = 'access-token-of-ann'
const code = 'code-of-ann'

interface Fault {
  /** Claims of the ID token that replace the right ones. */
  readonly claims?: Record<string, unknown>
  readonly key?: KeyObject
  /** Query with which the browser comes back. */
  readonly back?: Record<string, string>
}

async function signIn({ claims = {}, key = ours.privateKey, back = { code } }: Fault = {}) {
  const provider = identityProvider({ issuer: () => issuer, clientId, clientSecret })
  const callback = 'http://127.0.0.1/auth/callback'
  const { pending } = await provider.begin(callback)
  const seconds = Math.floor(Date.now() / 1_000)
  const right = {
    ...{ iss: issuer, aud: clientId, sub: '7', nonce: pending.nonce },
    ...{ iat: seconds, exp: seconds + 60 },
  }
  idToken = tokenOf({ ...right, ...claims }, key)
  const query = new URLSearchParams({ state: pending.state, ...back })
  return provider.complete(new URL(`${callback}?${query}`), { ...pending, returnTo: '/' })
}

/** Code of the refusal, and level and sentence of its line in the log. */
async function faultOf(fault: Fault): Promise<[string, string, string]> {
  const { code, cause } = await signIn(fault).then(
    () => expect.unreachable(),
    (error: { code: string; cause: OperatorNoteError }) => error,
  )
  return [code, cause.level, cause.message]
}

test('a token that the provider signed', async () => {
  expect(await signIn()).toMatchObject({ issuer, subject: '7', email: 'ann@example.org' })
})

test.each(['x'.repeat(9_000), 'a\0b', ''])('a subject that is none: %#', async (sub) => {
  const [refusal, , sentence] = await faultOf({ claims: { sub } })
  expect([refusal, sentence]).toEqual(['sign_in_failed', expect.stringContaining('255 ASCII characters')])
})

const now = () => Math.floor(Date.now() / 1_000)

test.each<[string, () => Fault & { answers?: typeof wrong }, string, RegExp]>([
  [
    'a token signed by another key',
    () => ({ key: others.privateKey }),
    'sign_in_failed warn',
    /is not valid: JWT signature verification failed\./,
  ],
  [
    'a token for another client',
    () => ({ claims: { aud: 'wiki' } }),
    'sign_in_failed warn',
    /has aud "wiki", and not OIDC_CLIENT_ID, "ulmus"\. Correct OIDC_CLIENT_ID/,
  ],
  [
    'a token for several clients',
    () => ({ claims: { aud: ['ulmus', 'wiki'] } }),
    'sign_in_failed warn',
    /has aud "ulmus, wiki", and not OIDC_CLIENT_ID alone/,
  ],
  [
    'a token of another issuer',
    () => ({ claims: { iss: 'https://else.example' } }),
    'sign_in_failed warn',
    /has iss "https:\/\/else\.example", and not OIDC_ISSUER, "http:/,
  ],
  [
    'a token of another sign-in',
    () => ({ claims: { nonce: 'n' } }),
    'sign_in_failed warn',
    /belongs to another sign-in/,
  ],
  [
    'a clock ten minutes ahead, or a token that has expired',
    () => ({ claims: { iat: now() - 900, exp: now() - 600 } }),
    'sign_in_failed warn',
    /expired 60\d s ago by the clock of this server\. Compare the clocks/,
  ],
  [
    'a clock ten minutes behind',
    () => ({ claims: { iat: now() + 600, nbf: now() + 600, exp: now() + 900 } }),
    'sign_in_failed warn',
    /is valid only in (?:600|599) s by the clock of this server/,
  ],
  [
    'no userinfo endpoint',
    () => ({ answers: { '/userinfo': { status: 404, body: 'no' } } }),
    'sign_in_failed warn',
    /answers 404 at http:\/\/127\.0\.0\.1:\d+\/userinfo,/,
  ],
  [
    'a userinfo endpoint that refuses the token',
    () => ({
      answers: {
        '/userinfo': { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      },
    }),
    'sign_in_failed warn',
    /answers 401 at http:\/\/127\.0\.0\.1:\d+\/userinfo,/,
  ],
  [
    'the profile of another user',
    () => ({ answers: { '/userinfo': { body: { sub: '8' } } } }),
    'sign_in_failed warn',
    /the profile of another user/,
  ],
  [
    'a wrong client secret',
    () => ({
      answers: {
        '/token': {
          status: 401,
          body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid\nclient secret' },
        },
      },
    }),
    'sign_in_unavailable warn',
    /\("invalid_client: AADSTS7000215: Invalid client secret"\)\. Set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/,
  ],
  [
    'a code that is not taken, whose refusal quotes everything',
    () => ({
      answers: {
        '/token': {
          status: 400,
          body: { error: 'invalid_grant', error_description: `bad ${code} of ${clientSecret}` },
        },
      },
    }),
    'sign_in_failed warn',
    /"invalid_grant: bad … of …"\. If .* PUBLIC_URL\/auth\/callback is not the redirect URI/,
  ],
  [
    'tokens that are half of JSON',
    () => ({ answers: { '/token': { body: `{"access_token": "${accessToken}", "x": ` } } }),
    'sign_in_failed warn',
    /is not the JSON that it must be/,
  ],
  [
    'no ID token',
    () => ({ answers: { '/token': { body: { access_token: accessToken, token_type: 'Bearer' } } } }),
    'sign_in_failed warn',
    /is not valid: .*id_token/,
  ],
  [
    'a provider that fails',
    () => ({ answers: { '/token': { status: 502, body: 'bad gateway' } } }),
    'sign_in_unavailable warn',
    /answers 502 at http:\/\/127\.0\.0\.1:\d+\/token,/,
  ],
  [
    'keys that cannot be read',
    () => ({ answers: { '/keys': { status: 403 } } }),
    'sign_in_failed warn',
    /answers 403 at http:\/\/127\.0\.0\.1:\d+\/keys,/,
  ],
  [
    'a user who cancels',
    () => ({ back: { error: 'access_denied' } }),
    'sign_in_failed info',
    /the user cancelled, or the identity provider refused this user \("access_denied"\)/,
  ],
  [
    'a scope that the client may not have',
    () => ({ back: { error: 'invalid_scope', error_description: 'no "email"\u2028here' } }),
    'sign_in_failed warn',
    /"invalid_scope: no email here"\. Compare the client at the provider/,
  ],
  [
    'another tab',
    () => ({ back: { code, state: 'other' } }),
    'sign_in_failed info',
    /another sign-in than its last one/,
  ],
])('the line in the log about %s', async (_name, fault, refusal, sentence) => {
  const { answers = {}, ...rest } = fault()
  wrong = answers
  const [code_, level, line] = await faultOf(rest)
  expect([`${code_} ${level}`, line]).toEqual([refusal, expect.stringMatching(sentence)])
  expect(line).toMatch(/^A sign-in failed: [^\n]*\.$/)
  for (const secret of [code, accessToken, clientSecret, idToken]) expect(line).not.toContain(secret)
})

test('a description without an address for browsers is one sentence', async () => {
  wrong = { '/.well-known/openid-configuration': { body: { issuer } } }
  const error = await signIn().catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'sign_in_unavailable',
    cause: {
      level: 'warn',
      message: expect.stringMatching(/OIDC_ISSUER, .* description that cannot be used/),
    },
  })
})
