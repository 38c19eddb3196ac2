/** An issuer of tokens for tests: its keys, its discovery document over HTTP, and tokens with any fault. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

export interface IssuerKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

export async function makeKey(kid: string, alg = 'RS256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

let tokens = 0

/** @param claims replace the usual ones; undefined leaves one out */
export function sign(
  { kid, privateKey, jwk }: IssuerKey,
  claims: JWTPayload,
  { alg = jwk.alg!, at = new Date() } = {},
): Promise<string> {
  const seconds = Math.floor(at.getTime() / 1_000)
  const payload = { iat: seconds, exp: seconds + 300, jti: `token-${++tokens}`, ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
    .setProtectedHeader({ alg, kid, typ: 'JWT' })
    .sign(privateKey)
}

/** Serves a discovery document and a key set, whose parts can be replaced at any time. */
export async function serveIssuer(keys: () => readonly JWK[]) {
  const asked: string[] = []
  const answers: Record<string, () => { status?: number; body: string }> = {
    '/.well-known/openid-configuration': () => ({
      body: JSON.stringify({ issuer: origin(), jwks_uri: `${origin()}/keys` }),
    }),
    '/keys': () => ({ body: JSON.stringify({ keys: keys() }) }),
  }
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const { status = 200, body } = answers[request.url!]?.() ?? { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer: origin(),
    asked,
    answers,
    close: () => new Promise((done) => server.close(done)),
  }
}
