/** Tokens that are refused, and requests for keys that strangers can cause. */
import { generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TrustedIssuer } from '../issuers.ts'
import { nothingAllowed } from '../outside/addresses.ts'
import { keepLog } from '../testing/context.ts'
import { type IssuerKey, makeKey, serveIssuer, sign } from '../testing/issuer.ts'
import { tokensOf } from './tokens.ts'

const audience = 'https://registry.example'
const issuer = 'https://gitlab.example'
const usual = { iss: issuer, aud: audience, sub: 'project_path:a/b' }
let key: IssuerKey
let other: IssuerKey
let elliptic: IssuerKey

beforeAll(async () => {
  ;[key, other, elliptic] = await Promise.all([makeKey('1'), makeKey('1'), makeKey('2', 'ES256')])
})

const verifierOf = (issuers: readonly TrustedIssuer[], more: object = {}) =>
  tokensOf({ issuers, outside: { allowed: nothingAllowed }, log: keepLog(), now: () => new Date(), ...more })
const verify = (token: string) =>
  verifierOf([{ issuer, kind: 'gitlab', jwks: { keys: [key.jwk, elliptic.jwk] } }])(token, audience)

describe('a token', () => {
  test('of a trusted issuer for this registry alone is good, by RS256 and ES256', async () => {
    for (const by of [key, elliptic])
      for (const aud of [audience, [audience]])
        expect(await verify(await sign(by, { ...usual, aud }))).toMatchObject({
          claims: { sub: 'project_path:a/b' },
          issuer: { issuer },
        })
  })

  const ago = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds
  test.each<[string, () => Promise<string>, string]>([
    ['of another key', () => sign(other, usual), 'signature'],
    ['of another issuer', () => sign(key, { ...usual, iss: 'https://evil.example' }), 'do not trust'],
    ['of the issuer with a slash', () => sign(key, { ...usual, iss: `${issuer}/` }), 'do not trust'],
    ['without an issuer', () => sign(key, { ...usual, iss: undefined }), 'not a JWT with an issuer'],
    ['for another audience', () => sign(key, { ...usual, aud: 'https://npm.example' }), 'audience'],
    ['for a longer address', () => sign(key, { ...usual, aud: `${audience}/` }), 'audience'],
    ['without an audience', () => sign(key, { ...usual, aud: undefined }), '`aud`'],
    ['for two audiences', () => sign(key, { ...usual, aud: [audience, 'x'] }), '2 audiences'],
    ['for one audience twice', () => sign(key, { ...usual, aud: [audience, audience] }), '2 audiences'],
    ['that has expired', () => sign(key, { ...usual, exp: ago(40) }), 'The token has expired.'],
    [
      'that is old',
      () => sign(key, { ...usual, iat: ago(640), exp: ago(-600) }),
      'The token is more than 10 minutes old.',
    ],
    [
      'of the future',
      () => sign(key, { ...usual, iat: ago(-90), exp: ago(-600) }),
      '`iat` is 90 seconds ahead of this registry’s clock: the clocks',
    ],
    [
      'that is not valid yet',
      () => sign(key, { ...usual, nbf: ago(-90) }),
      '`nbf` is 90 seconds ahead of this registry’s clock: the clocks',
    ],
    ['without an end', () => sign(key, { ...usual, exp: undefined }), '`exp`'],
    ['without a beginning', () => sign(key, { ...usual, iat: undefined }), '`iat`'],
    ['without an id', () => sign(key, { ...usual, jti: undefined }), '`jti`'],
    ['with an id of 2,000 characters', () => sign(key, { ...usual, jti: 'x'.repeat(2_000) }), '`jti`'],
    ['without a subject', () => sign(key, { ...usual, sub: undefined }), '`sub`'],
    ['of another algorithm', async () => sign(await makeKey('3', 'PS256'), usual), 'RS256 or ES256'],
  ])('%s is refused', async (_, token, reason) => {
    expect(await verify(await token())).toContain(reason)
  })

  test('without a signature, or signed with the public key as a secret, is refused', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(Date.now() / 1_000)
    const claims = { ...usual, iat: now, exp: now + 60, jti: 'x' }
    expect(await verify(`${part({ alg: 'none' })}.${part(claims)}.`)).toContain('RS256 or ES256')
    const secret = Buffer.from(JSON.stringify(key.jwk))
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: '1' }).sign(secret)
    expect(await verify(forged)).toContain('RS256 or ES256')
    const [head, , signature] = (await sign(key, usual)).split('.')
    expect(await verify(`${head}.${part(claims)}.${signature}`)).toContain('signature')
    for (const text of ['', 'x', 'a.b.c', '..', `${head}..${signature}`, 'x'.repeat(20_000)])
      expect(await verify(text)).toContain('not a JWT')
  })

  test('does not bring its own key', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    const { exportJWK } = await import('jose')
    const now = Math.floor(Date.now() / 1_000)
    const head = { alg: 'RS256', jwk: await exportJWK(publicKey), jku: 'https://evil.example/keys', kid: '9' }
    const token = await new SignJWT({ ...usual, iat: now, exp: now + 60, jti: 'x' })
      .setProtectedHeader(head)
      .sign(privateKey)
    expect(await verify(token)).toContain('signature')
  })
})

describe('keys of an issuer', () => {
  let served: Awaited<ReturnType<typeof serveIssuer>>
  let keys: JWK[]
  beforeEach(async () => {
    keys = [key.jwk]
    served = await serveIssuer(() => keys)
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await served.close()
  })
  const fetching = (more: object = {}) => verifierOf([{ issuer: served.issuer, kind: 'gitlab' }], more)
  const token = (by: IssuerKey) => sign(by, { ...usual, iss: served.issuer })

  test('are fetched from it, and again when it has other keys, but not for each unknown key', async () => {
    const check = fetching()
    const first = await token(key)
    expect(served.asked).toEqual([])
    expect(await check(first, audience)).toMatchObject({ jti: expect.any(String) })
    expect(served.asked).toEqual(['/.well-known/openid-configuration', '/keys'])
    const rotated = { ...(await makeKey('2')) }
    keys = [rotated.jwk]
    for (let n = 0; n < 20; n++) expect(await check(await token(rotated), audience)).toContain('signature')
    expect(served.asked).toHaveLength(2)
    vi.setSystemTime(Date.now() + 31_000)
    expect(await check(await token(rotated), audience)).toMatchObject({ jti: expect.any(String) })
    expect(served.asked).toHaveLength(4)
    // The former key is no longer good.
    expect(await check(await token(key), audience)).toContain('signature')
  })

  test.each<[string, () => void, string]>([
    [
      'a discovery document of another issuer',
      () => discovery({ issuer: 'https://other.example' }),
      'another issuer',
    ],
    ['the issuer with a slash', () => discovery({ issuer: `${served.issuer}/` }), 'another issuer'],
    ['no key set', () => discovery({ jwks_uri: undefined }), 'names no key set'],
    [
      'a key set in the inner network',
      () => discovery({ jwks_uri: 'https://10.0.0.1/keys' }),
      'does not ask',
    ],
    [
      'a key set of the cloud',
      () => discovery({ jwks_uri: 'http://169.254.169.254/latest' }),
      'does not ask',
    ],
    ['a key set on another port', () => discovery({ jwks_uri: 'http://127.0.0.1:1/keys' }), 'does not ask'],
    ['a failure', () => answer('/keys', { status: 500, body: '' }), 'answered with 500'],
    ['a redirect', () => answer('/keys', { status: 302, body: '' }), 'answered with 302'],
    ['a page', () => answer('/keys', { body: '<html>' }), 'not JSON'],
    ['a list', () => answer('/keys', { body: '[]' }), 'malformed'],
    ['keys that are none', () => answer('/keys', { body: '{"keys":[1]}' }), 'malformed'],
    ['10 MB', () => answer('/keys', { body: `{"keys":[],"x":"${'x'.repeat(1e7)}"}` }), 'too_large'],
  ])('an issuer that answers with %s is not asked again at once', async (_, break_, said) => {
    break_()
    const check = fetching()
    for (let n = 0; n < 5; n++) expect(await check(await token(key), audience)).toContain(said)
    expect(served.asked.length).toBeLessThanOrEqual(2)
  })
  const answer = (path: string, body: { status?: number; body: string }) => {
    served.answers[path] = () => body
  }
  const discovery = (change: object) =>
    answer('/.well-known/openid-configuration', {
      body: JSON.stringify({ issuer: served.issuer, jwks_uri: `${served.issuer}/keys`, ...change }),
    })

  test('are not fetched with OUTSIDE=off, nor from issuers that are not listed', async () => {
    expect(await fetching({ outside: null })(await token(key), audience)).toContain('OUTSIDE=off')
    expect(await verifierOf([])(await token(key), audience)).toContain('do not trust')
    expect(served.asked).toEqual([])
  })
})
