/** Behaviour of every request: http-api §1, over real HTTP. */

import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib'
import { anyDatabase, databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, stoppedClock, type TestServer } from '../testing/serve.ts'
import { type TestResponse, testClient } from '../testing/test-client.ts'
import { dataPolicy } from './answers/security.ts'

describe.each(anyDatabase)('every request on $name', ({ settings }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let cookie: string
  let key: string
  beforeAll(async () => {
    const made = await settings()
    dispose = made.dispose
    server = await serveForTest(made.settings)
    cookie = (await server.signIn('ann', { name: 'Ann' })).cookie
    key = await server.keyFor(cookie, 'admin')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    testClient(server.url, undefined, '').request(method, path, {
      headers,
      ...(body === undefined ? {} : { body }),
    })
  const get = (path: string, headers?: Record<string, string>) => send('GET', path, headers)
  const bearer = () => ({ authorization: `Bearer ${key}` })
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    send('POST', path, { 'content-type': 'application/json', ...bearer(), ...headers }, body)
  const refusalOf = ({ status, json }: TestResponse) => [status, json?.code]

  describe('credentials', () => {
    const bad = [
      'Bearer ul_nonsense',
      `Bearer ul_${'0'.repeat(49)}`,
      'Basic YTpi',
      'Bearer',
      '',
      'Bearer a b',
      'ul_x',
    ]
    const places = [
      '/api/accounts/ann',
      '/api/collections',
      '/api/accounts/me',
      '/api/openapi.json',
      '/api/nowhere',
    ]

    test.each(bad)('a bad header, %j, is 401 everywhere, public places too', async (authorization) => {
      for (const path of places) {
        const answer = await get(path, { authorization, cookie })
        expect([path, ...refusalOf(answer)]).toEqual([path, 401, 'unauthenticated'])
        expect(answer.headers['www-authenticate']).toBe('Bearer')
        expect(answer.json.statusCode).toBe(401)
      }
    })

    test('the header decides alone, whatever the cookie', async () => {
      const ben = await server.signIn('ben')
      const answer = await get('/api/accounts/me', { ...bearer(), cookie: ben.cookie })
      expect(answer.json.slug).toBe('ann')
    })

    test('no credential where one is needed is 401; a dead cookie is none', async () => {
      expect(refusalOf(await get('/api/accounts/me'))).toEqual([401, 'unauthenticated'])
      const dead = { cookie: `ulmus_session=${'A'.repeat(43)}` }
      expect(refusalOf(await get('/api/accounts/me', dead))).toEqual([401, 'unauthenticated'])
      expect((await get('/api/accounts/ann', dead)).status).toBe(200)
    })

    test('the scheme counts in any case', async () => {
      expect((await get('/api/accounts/me', { authorization: `bearer ${key}` })).status).toBe(200)
    })

    test('who may not enter learns it before the body is looked at', async () => {
      const read = await server.keyFor(cookie, 'read')
      const answer = await post('/api/accounts', '{', { authorization: `Bearer ${read}` })
      expect(refusalOf(answer)).toEqual([403, 'insufficient_scope'])
    })
  })

  describe('writes with a cookie', () => {
    const write = (headers: Record<string, string>) =>
      send(
        'PATCH',
        '/api/accounts/ann',
        { 'content-type': 'application/json', cookie, ...headers },
        '{"displayName":"Ann"}',
      )

    test('from this site are let in', async () => {
      expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
      expect((await write({ origin: server.url })).status).toBe(200)
      expect((await write({ 'sec-fetch-site': 'same-origin', origin: server.url })).status).toBe(200)
    })

    test.each([
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1' },
    ] as Record<string, string>[])('from elsewhere are refused: %j', async (headers) => {
      expect(refusalOf(await write(headers))).toEqual([403, 'cross_site'])
    })

    test('reads and keys need no such proof', async () => {
      expect((await get('/api/accounts/me', { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(200)
      const answer = await send(
        'PATCH',
        '/api/accounts/ann',
        { ...bearer(), 'content-type': 'application/json', origin: 'https://x.example' },
        '{}',
      )
      expect(answer.status).toBe(200)
    })
  })

  describe('bodies', () => {
    test.each([
      ['{"slug": "a", "slug": "b", "displayName": "x"}', 'duplicate_key'],
      ['{"slug": 12345678901234567890}', 'unsafe_integer'],
      ['{"slug": "\\ud800"}', 'lone_surrogate'],
      ['{"slug": ', 'syntax'],
      ['{"slug": 1e999}', 'number_out_of_range'],
      [`${'['.repeat(100)}${']'.repeat(100)}`, 'too_deep'],
    ])('%s breaks the rule %s', async (body, rule) => {
      const answer = await post('/api/accounts', body)
      expect(refusalOf(answer)).toEqual([400, 'invalid_request'])
      expect(answer.json.issues).toMatchObject([{ path: '', rule }])
    })

    test('what is missing, mistyped or unknown is named', async () => {
      const answer = await post('/api/accounts', '{"slug": true, "display_name": "x"}')
      expect(refusalOf(answer)).toEqual([400, 'invalid_request'])
      const paths = (answer.json.issues as { path: string }[]).map(({ path }) => path)
      expect(paths.sort()).toEqual(['displayName', 'display_name', 'slug'])
    })

    test('none where one is needed', async () => {
      const answer = await send('POST', '/api/accounts', bearer())
      expect(answer.json).toMatchObject({
        code: 'invalid_request',
        issues: [{ message: expect.stringContaining('is required') }],
      })
    })

    test('unknown query parameters are refused, by calls that know none too', async () => {
      for (const path of [
        '/api/accounts/ann?x=1',
        '/api/accounts/me/memberships?page=2',
        '/api/accounts/me/memberships?limit=0',
      ]) {
        expect(refusalOf(await get(path, bearer()))).toEqual([400, 'invalid_request'])
      }
    })

    test('a NUL in a slug, in a body and in a path', async () => {
      expect(refusalOf(await post('/api/accounts', '{"slug": "a\\u0000b", "displayName": "x"}'))).toEqual([
        422,
        'invalid_slug',
      ])
      for (const path of [
        '/api/accounts/a%00b',
        '/api/accounts/a%00b/collections',
        '/api/collections/a%00/b',
        '/api/collections/ann/b%00',
      ]) {
        expect([path, (await get(path)).status]).toEqual([path, 404])
      }
      expect((await get('/api/collections?q=%00')).status).toBeLessThan(500)
    })

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/x-ndjson',
      'multipart/form-data; boundary=x',
    ])('%s is 415, and the answer names what is taken', async (type) => {
      const answer = await post('/api/accounts', 'a=b', { 'content-type': type })
      expect(refusalOf(answer)).toEqual([415, 'unsupported_media_type'])
      expect(answer.json.contentTypes).toEqual(['application/json'])
      expect(answer.json.error).toContain('Send `application/json`.')
    })

    test('over 256 KiB is 413, with the limit named', async () => {
      const answer = await post('/api/accounts', JSON.stringify({ slug: 'x'.repeat(256 * 1024) }))
      expect(refusalOf(answer)).toEqual([413, 'too_large'])
      expect(answer.json.error).toContain(String(256 * 1024))
    })

    test('issues say what to do', async () => {
      const answer = await post('/api/accounts/keys', JSON.stringify({ label: 1, scope: 'all' }))
      expect(answer.json.issues).toEqual([
        { path: 'label', message: 'must be of type string' },
        { path: 'scope', message: 'must be one of read, write, admin' },
      ])
      const empty = await post('/api/accounts/keys', '{"scope":"read"}')
      expect(empty.json.issues).toEqual([{ path: 'label', message: 'is missing' }])
      expect(empty.json.error).toBe('The request is invalid: `label` is missing.')
    })
  })

  describe('paths', () => {
    test('the method is wrong: 405 with Allow', async () => {
      const answer = await send('DELETE', '/api/accounts')
      expect([...refusalOf(answer), answer.headers['allow']]).toEqual([405, 'method_not_allowed', 'POST'])
      expect((await send('PATCH', '/api/accounts/ann/members/x', bearer())).headers['allow']).toBe(
        'DELETE, PUT',
      )
    })

    test('nothing there: 404; ill-formed: 400', async () => {
      expect(refusalOf(await get('/api/nowhere'))).toEqual([404, 'route_not_found'])
      expect(refusalOf(await get('/api/accounts/%zz'))).toEqual([400, 'invalid_request'])
      expect(refusalOf(await get('/api/accounts/%ff'))).toEqual([400, 'invalid_request'])
    })

    test('a former slug is 308 to the same path and query, for any method', async () => {
      await post('/api/accounts', '{"slug": "former", "displayName": "x"}')
      await send(
        'PATCH',
        '/api/accounts/former',
        { ...bearer(), 'content-type': 'application/json' },
        '{"slug": "present"}',
      )
      const moved = await get('/api/accounts/former/members?limit=2', bearer())
      expect([moved.status, moved.headers['location']]).toEqual([
        308,
        '/api/accounts/present/members?limit=2',
      ])
      expect((await send('DELETE', '/api/accounts/former', bearer())).headers['location']).toBe(
        '/api/accounts/present',
      )
      expect((await get('/api/collections/former/x')).status).toBe(404)
    })
  })

  describe('targets in absolute form', () => {
    const absolute = (path: string) => `${server.url}${path}`

    test('are answered as the path and query that they name', async () => {
      const wrong = await send('DELETE', absolute('/api/accounts'))
      expect([...refusalOf(wrong), wrong.headers['allow']]).toEqual([405, 'method_not_allowed', 'POST'])
      expect((await get(absolute('/api/nowhere?x=1'))).json.error).toContain(' at /api/nowhere. ')
      for (const target of [server.url, 'HTTP://elsewhere.example?x=/api/accounts'])
        expect([target, (await get(target)).status]).toEqual([target, 200])

      await post('/api/accounts', '{"slug": "absolute-former", "displayName": "x"}')
      await send(
        'PATCH',
        absolute('/api/accounts/absolute-former'),
        { ...bearer(), 'content-type': 'application/json' },
        '{"slug": "absolute-present"}',
      )
      const moved = await get(absolute('/api/accounts/absolute-former/members?limit=2'), bearer())
      expect(moved.headers['location']).toBe('/api/accounts/absolute-present/members?limit=2')

      const { port } = new URL(server.url)
      const host = `localhost:${port}`
      const signIn = await get(`http://${host}/auth/login?return_to=/a`, { host })
      expect(signIn.headers['location']).toBe(absolute('/auth/login?return_to=/a'))
    })

    test.each(['http:///api/accounts', 'http://x#/api/accounts', 'http://[x/api/accounts'])(
      'ill-formed, %s is 400',
      async (target) => {
        expect(refusalOf(await get(target))).toEqual([400, 'invalid_request'])
      },
    )
  })

  describe('entity tags', () => {
    test('If-None-Match is answered 304, without a body', async () => {
      const first = await get('/api/accounts/ann')
      expect(first.headers['etag']).toMatch(/^"[0-9a-f]{32}"$/)
      for (const list of [first.headers['etag']!, `"x", W/${first.headers['etag']}`, '*']) {
        const again = await get('/api/accounts/ann', { 'if-none-match': list })
        expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([
          304,
          0,
          first.headers['etag'],
        ])
        expect(again.headers['vary']).toContain('Cookie')
      }
      expect((await get('/api/accounts/ann', { 'if-none-match': '"other"' })).status).toBe(200)
    })

    test('with and without a credential they differ, and so do the rules for caches', async () => {
      const open = await get('/api/accounts/ann')
      const own = await get('/api/accounts/ann', bearer())
      expect(own.bytes.equals(open.bytes)).toBe(true)
      expect(own.headers['etag']).not.toBe(open.headers['etag'])
      expect(own.headers['cache-control']).toBe('private, no-cache')
      expect(open.headers['cache-control']).toBe('no-cache')
      for (const answer of [open, own]) expect(answer.headers['vary']).toMatch(/^Authorization, Cookie/)
      expect(
        (await get('/api/accounts/ann', { ...bearer(), 'if-none-match': open.headers['etag']! })).status,
      ).toBe(200)
    })

    test('each content encoding has its own, all of one answer', async () => {
      const path = '/api/openapi.json'
      const undo = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
      const plain = await get(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const tags = new Set([plain.headers['etag']])
      for (const [encoding, decode] of Object.entries(undo)) {
        const packed = await get(path, { 'accept-encoding': encoding })
        expect(packed.headers['content-encoding']).toBe(encoding)
        expect(decode(packed.bytes).equals(plain.bytes)).toBe(true)
        expect(packed.headers['vary']).toContain('accept-encoding')
        tags.add(packed.headers['etag'])
        const match = { 'if-none-match': packed.headers['etag']! }
        const again = await get(path, { 'accept-encoding': encoding, ...match })
        expect([again.status, again.bytes.length, again.headers['content-encoding']]).toEqual([
          304,
          0,
          undefined,
        ])
        // A tag of other bytes than the current answer does not match.
        expect((await get(path, match)).status).toBe(200)
      }
      expect(tags.size).toBe(4)
      const any = await get(path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
      expect(any.headers['content-encoding']).toBe('zstd')
    })

    test('HEAD has the tag and length of GET', async () => {
      const [head, whole] = [await send('HEAD', '/api/accounts/ann'), await get('/api/accounts/ann')]
      expect([head.status, head.bytes.length]).toEqual([200, 0])
      for (const name of ['etag', 'content-length', 'content-type', 'cache-control']) {
        expect(head.headers[name], name).toBe(whole.headers[name])
      }
    })

    test('refusals have none', async () => {
      expect((await get('/api/accounts/missing-user')).headers['etag']).toBeUndefined()
    })
  })

  describe('other headers', () => {
    test('X-Request-Id is taken when it is plain, made when not', async () => {
      expect((await get('/api/accounts/ann', { 'x-request-id': 'abc-1' })).headers['x-request-id']).toBe(
        'abc-1',
      )
      for (const strange of ['a b', 'x'.repeat(200), '<script>']) {
        expect((await get('/api/nowhere', { 'x-request-id': strange })).headers['x-request-id']).toMatch(
          /^[0-9a-f-]{36}$/,
        )
      }
    })

    test('any origin may read, with no cookies', async () => {
      const answer = await get('/api/accounts/ann', { origin: 'https://other.example' })
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      const preflight = await send('OPTIONS', '/api/accounts', {
        ...{ origin: 'https://other.example', 'access-control-request-method': 'POST' },
        'access-control-request-headers': 'authorization, content-type',
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers['access-control-allow-methods']).toContain('PATCH')
      expect(preflight.headers['access-control-allow-headers']).toContain('authorization')
    })

    test('answers run and load nothing', async () => {
      const discovery = '/dev/idp/.well-known/openid-configuration'
      for (const path of ['/api/accounts/ann', '/api/accounts/missing-user', '/api/nowhere', discovery]) {
        const { headers } = await get(path)
        expect(headers['x-content-type-options'], path).toBe('nosniff')
        expect(headers['x-frame-options'], path).toBe('SAMEORIGIN')
        expect(headers['x-powered-by'], path).toBeUndefined()
        // The identity provider sets its own policies.
        if (path !== discovery) expect(headers['content-security-policy'], path).toBe(dataPolicy)
      }
    })
  })

  describe('watching and reading about it', () => {
    test('/healthz, /readyz and /metrics answer', async () => {
      expect((await get('/healthz')).json).toEqual({ status: 'ok' })
      expect((await get('/readyz')).json).toEqual({
        ready: true,
        database: true,
        objects: true,
        storage: 'ok',
        worker: 'ok',
        problems: [],
      })
      const text = (await get('/metrics')).bytes.toString()
      expect(text).toContain(
        'http_request_duration_seconds_bucket{le="0.001",method="GET",route="/api/accounts/:slug",status="200"}',
      )
      expect(text).toContain('route="none"')
      expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
      expect(text).toContain('process_cpu_user_seconds_total')
      expect(text).not.toContain('former')
    })

    test('/metrics counts running requests and stored data', async () => {
      await post('/api/accounts/ann/collections', '{"slug":"measured"}')
      const pushes = '/api/collections/ann/measured/pushes'
      const open = async (base: string | null) => {
        const opening = JSON.stringify({ base_version: base, schemas: { Thing: { type: 'object' } } })
        return `${pushes}/${(await post(pushes, opening)).json.session_id}`
      }
      const session = await open(null)
      await post(
        `${session}/records`,
        '{"id":"a","type":"Thing","data":{}}\n{"id":"b","type":"Thing","data":{}}\n',
        {
          'content-type': 'application/x-ndjson',
        },
      )
      expect((await post(`${session}/commit`, '{}')).status).toBe(201)
      expect((await post(`${await open('1.0.0')}/commit`, '{}')).json.code).toBe('no_changes')
      // A push without changes leaves its session open.
      await open('1.0.0')

      /** Figures are cached for some seconds; a new process has none yet. */
      let text = ''
      const figure = (name: string) =>
        Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1])
      await expect
        .poll(
          async () => {
            text = (await get('/metrics')).bytes.toString()
            return figure('ulmus_pushes{state="open"}')
          },
          { timeout: 20_000, interval: 500 },
        )
        .toBe(2)
      expect(figure('ulmus_pushes{state="committing"}')).toBe(0)
      expect(figure('ulmus_commits_total{outcome="committed"}')).toBe(1)
      expect(figure('ulmus_commits_total{outcome="no_changes"}')).toBe(1)
      expect(figure('ulmus_commit_records_total')).toBe(2)
      expect(figure('ulmus_worker_seen_seconds')).toBeLessThan(40)
      expect(figure('ulmus_storage_full')).toBe(0)
      expect(figure('ulmus_storage_free_bytes')).toBeGreaterThan(0)
      expect(figure('ulmus_cache_bytes')).toBeGreaterThanOrEqual(0)
      expect(figure('ulmus_failed_tasks')).toBeGreaterThanOrEqual(0)
      for (const kind of ['packs', 'files', 'set_aside'])
        expect(figure(`ulmus_stored_bytes{kind="${kind}"}`)).toBeGreaterThanOrEqual(0)
      for (const state of ['busy', 'idle', 'waiting'])
        expect(figure(`ulmus_database_connections{state="${state}"}`)).toBeGreaterThanOrEqual(0)
      expect(text).toMatch(
        /^ulmus_build_info\{version="\d+\.\d+\.\d+",commit="[0-9a-f]*",date="[\d-]*",node="[\d.]+",database="(embedded|server)"\} 1$/m,
      )
      // No sweep has run yet, which does not count as a failed one.
      expect(text).not.toMatch(/^ulmus_sweep_(age_seconds|succeeded) /m)
      // No backup is an infinitely old one, so that the alert on its age fires.
      expect(text).toMatch(/^ulmus_backup_age_seconds \+Inf$/m)
      expect(text).not.toMatch(/^ulmus_backup_(duration_seconds|bytes) /m)
      await expect
        .poll(
          async () => {
            text = (await get('/metrics')).bytes.toString()
            return figure('ulmus_version_log_unsigned')
          },
          { timeout: 20_000, interval: 500 },
        )
        .toBe(0)
      expect(figure('ulmus_version_log_unsigned_seconds')).toBe(0)
      expect(figure('ulmus_version_log_entries')).toBeGreaterThan(1)
      expect(figure('ulmus_version_log_checkpoint_age_seconds')).toBeLessThan(120)
    })

    test('/api/openapi.json is OpenAPI 3.1 with every call, its credentials and refusals', async () => {
      const { json } = await get('/api/openapi.json')
      expect(json.openapi).toBe('3.1.0')
      const paths = json.paths as Record<
        string,
        Record<string, { security: object[]; responses: Record<string, object>; summary: string }>
      >
      const make = paths['/api/accounts/keys']!['post']!
      expect(make.security).toEqual([{ apiKey: [] }, { session: [] }])
      const refusals = ['400', '401', '403', '404', '409', '413', '415', '429', '500', '503', '507']
      expect(Object.keys(make.responses).sort()).toEqual(['201', ...refusals])
      expect(paths['/api/accounts/{slug}']!['get']!.security).toEqual([{}, { apiKey: [] }, { session: [] }])
      for (const calls of Object.values(paths))
        for (const call of Object.values(calls)) expect(call.summary).toBeTruthy()
      const text = JSON.stringify(json)
      for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        expect(json.components).toHaveProperty(['schemas', name!])
      }
      expect((json.components as Record<string, object>)['securitySchemes']).toHaveProperty(
        'apiKey.scheme',
        'bearer',
      )
    })

    test('the description is made once, compressed once, and kept by who asked', async () => {
      const plain = await get('/api/openapi.json')
      const coded = await get('/api/openapi.json', { 'accept-encoding': 'gzip, br' })
      expect(coded.headers['content-encoding']).toBe('br')
      expect(brotliDecompressSync(coded.bytes).equals(plain.bytes)).toBe(true)
      for (const [answer, more] of [
        [plain, {}],
        [coded, { 'accept-encoding': 'gzip, br' }],
      ] as const) {
        const etag = String(answer.headers['etag'])
        const again = await get('/api/openapi.json', { ...more, 'if-none-match': etag })
        expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, etag])
      }
      const cpuOf = async (work: () => unknown) => {
        const before = process.cpuUsage()
        await work()
        const { user, system } = process.cpuUsage(before)
        return user + system
      }
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
      const again = await cpuOf(() => get('/api/openapi.json', { 'accept-encoding': 'br' }))
      expect(again).toBeLessThan((await cpuOf(() => brotliCompressSync(plain.bytes, { params }))) / 2)
    })
  })
})

describe('rate limits', () => {
  test('count addresses and accounts apart, and say so', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const server = await serveForTest(settings, {
      rateLimits: { anonymous: 12, account: 5, signIn: 50, reports: 2 },
      now: stoppedClock(),
    })
    const { cookie } = await server.signIn('ann')
    const me = (): Promise<Response> => fetch(`${server.url}/api/accounts/me`, { headers: { cookie } })
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await me()).status)
    // Sign-in already used one request.
    expect(statuses).toEqual([200, 200, 200, 200, 429])
    const refused = await me()
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', statusCode: 429 })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-limit')).toBe('5')
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    const guess = () => fetch(`${server.url}/api/accounts/ann`, { headers: { authorization: 'Bearer ul_x' } })
    const guesses = []
    for (let i = 0; i < 13; i++) guesses.push((await guess()).status)
    expect(guesses[0]).toBe(401)
    expect(guesses.at(-1)).toBe(429)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    // Reads and failed guesses from this address do not count against its sign-in limit.
    await server.signIn('ben')
    const begin = () => fetch(`${server.url}/auth/login`, { redirect: 'manual' })
    const begun = []
    for (let i = 0; i < 50; i++) begun.push((await begin()).status)
    expect([begun[0], begun.at(-1)]).toEqual([302, 429])
    await server.close()
    await dispose()
  })

  test('count all addresses together that one machine may have', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const rateLimits = { anonymous: 3, account: 5, signIn: 3, reports: 3 }
    const server = await serveForTest(settings, { trustProxy: 1, rateLimits, now: stoppedClock() })
    const from = async (path: string, address: string) => {
      const init = { headers: { 'x-forwarded-for': address }, redirect: 'manual' } as const
      return (await fetch(`${server.url}${path}`, init)).status
    }
    for (const [path, fine] of [
      ['/api/collections', 200],
      // The built-in provider only admits this machine; its requests count nevertheless.
      ['/auth/login', 403],
    ] as const) {
      for (let n = 1; n <= 3; n++) expect(await from(path, `2001:db8:1:1::${n}`)).toBe(fine)
      expect(await from(path, '2001:db8:1:1:ffff::4')).toBe(429)
      expect(await from(path, '2001:db8:1:2::1')).toBe(fine)
      expect(await from(path, '192.0.2.1')).toBe(fine)
    }
    await server.close()
    await dispose()
  })
})
