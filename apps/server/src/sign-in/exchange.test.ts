/** Exchange of tokens over HTTP: the form, the refusals, and OpenID Connect's own server as an issuer. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { accessTokenType, exchangeGrant, jwtType } from '@ulmus/wire'
import Provider, { type Configuration } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { formOf, jobIssuer, trustedJobs } from '../testing/jobs.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { expectStatus, type TestClient, testClient } from '../testing/test-client.ts'

const secret = 'a secret of the runner'

/** An issuer of which jobs get tokens by the client credentials grant. */
async function openIssuer() {
  let callback: ReturnType<Provider['callback']>
  const server: HttpServer = createServer((request, response) => void callback(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const rotate = (kid: string) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const configuration: Configuration = {
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' } as never] },
      clients: [
        {
          client_id: 'runner',
          client_secret: secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_, audience) => ({
            ...{ scope: 'publish', audience, accessTokenTTL: 60, accessTokenFormat: 'jwt' as const },
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    }
    callback = new Provider(url, configuration).callback()
  }
  rotate('first')
  return {
    url,
    rotate,
    async token(audience: string): Promise<string> {
      const answer = await fetch(`${url}/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'publish' }),
        headers: { authorization: `Basic ${btoa(`runner:${encodeURIComponent(secret)}`)}` },
      })
      const { access_token: token } = (await answer.json()) as { access_token: string }
      return token
    },
    close: () => new Promise((done) => server.close(done)),
  }
}

describe.each(anyDatabase)('the exchange of tokens on $name', ({ settings }) => {
  let server: TestServer
  let ada: TestClient
  let issuer: Awaited<ReturnType<typeof openIssuer>>
  let jobs: Awaited<ReturnType<typeof trustedJobs>>
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    const made = await settings()
    issuer = await openIssuer()
    jobs = await trustedJobs()
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-exchange-'))
    const file = join(folder, 'issuers.json')
    writeFileSync(file, JSON.stringify([{ issuer: issuer.url, kind: 'other' }]))
    server = await serveForTest(made.settings, { trustedIssuersFile: file, now: () => new Date() })
    ends.push(
      () => server.close(),
      made.dispose,
      () => issuer.close(),
      () => jobs.end(),
      () => rmSync(folder, { recursive: true }),
    )
    ada = testClient(server.url, await server.signIn('ada'))
    await expectStatus(ada.post('/accounts/ada/collections', { slug: 'cities', public: true }), 201)
    await expectStatus(
      ada.post('/collections/ada/cities/publishers', { issuer: issuer.url, claims: { sub: 'runner' } }),
      201,
    )
  })
  afterAll(async () => {
    vi.useRealTimers()
    for (const end of ends) await end()
  })

  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    testClient(server.url, undefined, '').request('POST', '/auth/exchange', {
      body,
      headers: { 'content-type': type },
    })
  const exchange = (token: string, collection = 'ada/cities') => post(String(formOf(token, collection)))

  test('a token of a real issuer is exchanged for a key that pushes, and so is one of its next key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const form = formOf(await issuer.token(server.url), 'ada/cities')
    form.set('subject_token_type', jwtType)
    // Libraries send them, and they are ignored.
    form.set('scope', 'write')
    form.set('requested_token_type', accessTokenType)
    const answer = await post(String(form))
    expect(answer.json).toEqual({
      ...{ access_token: expect.stringMatching(/^ul_/), issued_token_type: accessTokenType },
      ...{ token_type: 'Bearer', expires_in: 900, scope: 'write' },
    })
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' })
    const job = testClient(server.url, answer.json.access_token as string)
    const opening = { base_version: null, schemas: { A: {} } }
    const { session_id } = (await expectStatus(job.post('/collections/ada/cities/pushes', opening), 201)).json
    await expectStatus(job.post(`/collections/ada/cities/pushes/${session_id}/commit`, {}), 201)
    const [version] = (await ada.get('/collections/ada/cities/versions')).json
    expect(version.workload).toEqual({
      ...{ issuer: issuer.url, kind: 'other', subject: 'runner', claims: { sub: 'runner' }, run: null },
    })
    issuer.rotate('second')
    expect((await exchange(await issuer.token(server.url))).status).toBe(400)
    vi.setSystemTime(Date.now() + 31_000)
    expect((await exchange(await issuer.token(server.url))).status).toBe(200)
  })

  test('a refusal has the members of OAuth, and the claims of a good token', async () => {
    const refusal = (await exchange(await issuer.token(server.url), 'ada/missing')).json
    expect(refusal).toEqual({
      ...{ error: 'invalid_grant', code: 'invalid_grant', statusCode: 400 },
      error_description: expect.stringContaining('No trusted publisher'),
      presented: expect.objectContaining({ sub: 'runner', aud: server.url }),
    })
    const elsewhere = (await exchange(await issuer.token('https://npm.example'))).json
    expect(elsewhere).toMatchObject({
      error: 'invalid_grant',
      error_description: expect.stringContaining(server.url),
    })
    expect(elsewhere).not.toHaveProperty('presented')
    const unknown = (await exchange(await jobs.token(server.url))).json
    expect(unknown.error_description).not.toContain(jobIssuer)
  })

  test('malformed forms are refused', async () => {
    const token = await issuer.token(server.url)
    const form = (change: Record<string, string>) =>
      String(new URLSearchParams({ ...Object.fromEntries(formOf(token, 'ada/cities')), ...change }))
    for (const body of [
      '',
      'x=1',
      form({ grant_type: 'authorization_code' }),
      form({ subject_token: '' }),
      form({ subject_token: 'x'.repeat(20_001) }),
      form({ subject_token_type: accessTokenType }),
      form({ audience: 'cities' }),
      form({ audience: '../x' }),
      `${form({})}&audience=ada%2Fother`,
      form({}).replace(encodeURIComponent(exchangeGrant), ''),
    ])
      expect([body.slice(-60), (await post(body)).json.error]).toEqual([body.slice(-60), 'invalid_request'])
    expect((await post('{}', 'application/json')).status).toBe(415)
    expect((await post('x'.repeat(70_000))).status).toBe(413)
  })

  test('a key in the header is ignored', async () => {
    const body = String(formOf(await issuer.token(server.url), 'ada/cities'))
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer nonsense' }
    const by = testClient(server.url, undefined, '')
    expect((await by.request('POST', '/auth/exchange', { body, headers })).status).toBe(200)
  })
})

test('a faulty file of issuers is named, and nothing starts', async () => {
  const { settings, dispose } = await anyDatabase[0]!.settings()
  const missing = serveForTest(settings, { trustedIssuersFile: '/nonexistent/issuers.json' })
  await expect(missing).rejects.toThrow(
    /^TRUSTED_ISSUERS_FILE is \/nonexistent\/issuers.json, which cannot be read/,
  )
  await expect(missing).rejects.toMatchObject({ name: 'ConfigError' })
  await dispose()
})
