/** Answers of a provider that a proxy, a bug or an attacker has changed. The provider here is real HTTP with real signatures. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityProvider } from './identity-provider.ts'

const clientId = 'ulmus'
const ours = generateKeyPairSync('rsa', { modulusLength: 2048 })
const others = generateKeyPairSync('rsa', { modulusLength: 2048 })

let server: Server
let issuer: string
/** The ID token that the token endpoint returns. */
let idToken = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    const answers: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({
        keys: [{ ...ours.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }],
      }),
      '/token': () => ({ access_token: 'x', token_type: 'Bearer', id_token: idToken }),
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[new URL(request.url!, issuer).pathname]?.() ?? {}))
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

async function signIn(subject: string, key: KeyObject) {
  const provider = identityProvider({ issuer: () => issuer, clientId, clientSecret: 'secret' })
  const back = 'http://127.0.0.1/auth/callback'
  const { pending } = await provider.begin(back)
  const seconds = Math.floor(Date.now() / 1_000)
  const claims = {
    iss: issuer,
    aud: clientId,
    sub: subject,
    nonce: pending.nonce,
    iat: seconds,
    exp: seconds + 60,
  }
  idToken = tokenOf(claims, key)
  return provider.complete(new URL(`${back}?code=c&state=${pending.state}`), { ...pending, returnTo: '/' })
}

test('a token that the provider signed', async () => {
  expect(await signIn('7', ours.privateKey)).toMatchObject({ issuer, subject: '7' })
})

test('a token signed by another key is refused', async () => {
  await expect(signIn('7', others.privateKey)).rejects.toMatchObject({ code: 'sign_in_failed' })
})

test.each(['x'.repeat(9_000), 'a\0b', ''])(
  'a subject that is none is a sign-in that failed',
  async (subject) => {
    await expect(signIn(subject, ours.privateKey)).rejects.toMatchObject({ code: 'sign_in_failed' })
  },
)
