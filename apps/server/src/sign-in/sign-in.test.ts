/** Sign-in by http-api §2, over real HTTP with a cookie jar, through the built-in provider. */
import { createServer, type Server as HttpServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { anyDatabase, databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../testing/browser.ts'
import { serveForTest, stoppedClock, type TestServer } from '../testing/serve.ts'
import { returnPath } from './routes.ts'

const sessionCookie = 'ulmus_session'
const dayMilliseconds = 86_400_000

describe.each(anyDatabase)('signing in on $name', ({ settings }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  /** Offset of the server's clock into the future. Milliseconds. */
  let ahead = 0

  beforeAll(async () => {
    const made = await settings()
    dispose = made.dispose
    server = await serveForTest(made.settings, { now: () => new Date(Date.now() + ahead) })
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  const me = async (browser: Browser) => (await browser.fetch('/api/accounts/me')).status
  const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code

  test('the first sign-in makes the account, the second finds it', async () => {
    const first = await server.signIn('Ann.Lee', { name: 'Ann Lee', email: 'ann@example.com' })
    expect(first.account).toMatchObject({
      slug: 'ann-lee',
      type: 'user',
      displayName: 'Ann Lee',
      email: 'ann@example.com',
    })
    const again = await server.signIn('Ann.Lee', { name: 'Another Name', email: 'new@example.com' })
    expect(again.account).toEqual({ ...first.account, email: 'new@example.com' })
    const other = await server.signIn('ann-lee')
    expect(other.account.slug).toBe('ann-lee-2')
  })

  test('the way there has PKCE S256, state and nonce, and its cookie is HttpOnly and Lax', async () => {
    const answer = await fetch(`${server.url}/auth/login`, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    const url = new URL(answer.headers.get('location')!)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    expect(url.searchParams.get('response_type')).toBe('code')
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(url.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/; HttpOnly/)
    expect(cookie).toMatch(/; SameSite=Lax/)
    expect(cookie).toMatch(/Max-Age=600/)
  })

  test('the session cookie is opaque, HttpOnly, Lax and good for 30 days', async () => {
    const browser = new Browser(server.url)
    const back = await browser.signIn({ login: 'bo' })
    const cookie = back.headers.getSetCookie().find((line) => line.startsWith(`${sessionCookie}=`))!
    expect(cookie).toMatch(/^ulmus_session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
    const expires = Date.parse(/Expires=([^;]+)/.exec(cookie)![1]!)
    expect(Math.abs(expires - Date.now() - 30 * dayMilliseconds)).toBeLessThan(60_000)
  })

  test.each([
    ['/collections?q=a%20b#top', '/collections?q=a%20b#top'],
    ['/', '/'],
    ['/a/../b', '/b'],
  ])('return_to %s leads to %s', async (returnTo, path) => {
    const back = await new Browser(server.url).signIn({ login: 'bo' }, returnTo)
    expect(back.status).toBe(302)
    expect(back.headers.get('location')).toBe(path)
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    'evil',
    '',
  ])('return_to %j is refused', async (returnTo) => {
    const answer = await fetch(`${server.url}/auth/login?return_to=${encodeURIComponent(returnTo)}`, {
      redirect: 'manual',
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid_request', issues: [{ path: 'return_to' }] })
  })

  test('a sign-in never returns to the end of another one', () => {
    const paths = ['/auth/callback?code=a&state=b', '/%2e/auth/login', '/authors?q=1#x']
    expect(paths.map(returnPath)).toEqual(['/', '/', '/authors?q=1#x'])
  })

  test('two return_to are refused', async () => {
    const answer = await fetch(`${server.url}/auth/login?return_to=/a&return_to=//evil`, {
      redirect: 'manual',
    })
    expect(answer.status).toBe(400)
  })

  test('a wrong state is refused, and the sign-in cannot be taken up again', async () => {
    const browser = new Browser(server.url)
    const callback = await browser.signInUntilCallback({ login: 'cy' })
    const forged = new URL(callback)
    forged.searchParams.set('state', 'A'.repeat(43))
    const answer = await browser.fetch(forged.href)
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'sign_in_failed'])
    expect((await browser.fetch(callback.href)).status).toBe(400)
    expect(await me(browser)).toBe(401)
  })

  test("another browser's callback is refused", async () => {
    const attacker = new Browser(server.url)
    const callback = await attacker.signInUntilCallback({ login: 'mallory' })
    const victim = new Browser(server.url)
    expect((await victim.fetch(callback.href)).status).toBe(400)
    // Not even while the victim has a pending sign-in.
    await victim.fetch('/auth/login')
    const answer = await victim.fetch(callback.href)
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'sign_in_failed'])
    expect(await me(victim)).toBe(401)
  })

  test('a code is good once, also with the cookie kept', async () => {
    const browser = new Browser(server.url)
    const callback = await browser.signInUntilCallback({ login: 'dee' })
    const pending = browser.cookie('ulmus_sign_in')!
    expect((await browser.fetch(callback.href)).status).toBe(302)
    expect(browser.cookie('ulmus_sign_in')).toBeUndefined()
    const thief = new Browser(server.url)
    thief.setCookie('ulmus_sign_in', pending)
    const answer = await thief.fetch(callback.href)
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'sign_in_failed'])
    expect(await me(thief)).toBe(401)
  })

  test('a sign-in cookie that was changed counts for nothing', async () => {
    const browser = new Browser(server.url)
    const callback = await browser.signInUntilCallback({ login: 'dee' })
    const [body, signature] = browser.cookie('ulmus_sign_in')!.split('.') as [string, string]
    const content = JSON.parse(Buffer.from(body, 'base64url').toString())
    const changed = Buffer.from(JSON.stringify({ ...content, returnTo: '//evil.example' })).toString(
      'base64url',
    )
    browser.setCookie('ulmus_sign_in', `${changed}.${signature}`)
    expect((await browser.fetch(callback.href)).status).toBe(400)
  })

  test('a refusal by the provider is reported', async () => {
    const browser = new Browser(server.url)
    const login = await browser.fetch('/auth/login')
    const state = new URL(login.headers.get('location')!).searchParams.get('state')
    const issuer = encodeURIComponent(`${server.url}/dev/idp`)
    const answer = await browser.fetch(`/auth/callback?error=access_denied&state=${state}&iss=${issuer}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      code: 'sign_in_failed',
      error: expect.stringContaining('you cancelled'),
    })
  })

  test('a session token planted before signing in never becomes a signed-in one', async () => {
    const planted = 'A'.repeat(43)
    const browser = new Browser(server.url)
    browser.setCookie(sessionCookie, planted)
    await browser.signIn({ login: 'eve' })
    expect(browser.cookie(sessionCookie)).not.toBe(planted)
    const attacker = new Browser(server.url)
    attacker.setCookie(sessionCookie, planted)
    expect(await me(attacker)).toBe(401)
  })

  test('signing in again ends the session that the browser had', async () => {
    const browser = new Browser(server.url)
    await browser.signIn({ login: 'fay' })
    const former = browser.cookie(sessionCookie)!
    await browser.signIn({ login: 'fay' })
    const thief = new Browser(server.url)
    thief.setCookie(sessionCookie, former)
    expect([await me(browser), await me(thief)]).toEqual([200, 401])
  })

  test('another person can sign in with the same browser', async () => {
    const browser = new Browser(server.url)
    for (const login of ['pat', 'quinn', 'pat']) {
      await browser.signIn({ login })
      const answer = (await (await browser.fetch('/api/accounts/me')).json()) as { slug: string }
      expect(answer.slug).toBe(login)
    }
  })

  test('a session slides with use and ends 30 days after the last; a dead one is anonymous', async () => {
    const browser = new Browser(server.url)
    await browser.signIn({ login: 'gus' })
    try {
      ahead = 20 * dayMilliseconds
      const answer = await browser.fetch('/api/accounts/me')
      expect(answer.status).toBe(200)
      expect(answer.headers.getSetCookie().join()).toContain(`${sessionCookie}=`)
      ahead = 49 * dayMilliseconds
      expect(await me(browser)).toBe(200)
      ahead = 80 * dayMilliseconds
      expect(await me(browser)).toBe(401)
      expect((await browser.fetch('/api/accounts/gus')).status).toBe(200)
    } finally {
      ahead = 0
    }
  })

  test('signing out ends the session at the server', async () => {
    const browser = new Browser(server.url)
    await browser.signIn({ login: 'hal' })
    const token = browser.cookie(sessionCookie)!
    const answer = await browser.fetch('/auth/logout', { method: 'POST' })
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }])
    expect(browser.cookie(sessionCookie)).toBeUndefined()
    browser.setCookie(sessionCookie, token)
    expect(await me(browser)).toBe(401)
  })

  test.each([
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['another Origin', { origin: 'https://evil.example' }],
    ['Origin: null', { origin: 'null' }],
    ['neither header', {}],
  ] as [string, Record<string, string>][])(
    'another site cannot sign anyone out: %s',
    async (_name, headers) => {
      const { cookie } = await server.signIn('ida')
      const answer = await fetch(`${server.url}/auth/logout`, {
        method: 'POST',
        headers: { cookie, ...headers },
      })
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'cross_site'])
      expect((await fetch(`${server.url}/api/accounts/me`, { headers: { cookie } })).status).toBe(200)
    },
  )

  test('GET does not sign out', async () => {
    const answer = await fetch(`${server.url}/auth/logout`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('the form warns, works without scripts and asks again for a missing login', async () => {
    const browser = new Browser(server.url)
    const { response, urls } = await browser.follow(await browser.fetch('/auth/login'))
    const page = await response.text()
    expect(page).toContain('For development only')
    for (const field of ['login', 'name', 'email']) expect(page).toContain(`name="${field}"`)
    expect(page).not.toContain('<script')
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self'")
    const empty = await browser.fetch(urls.at(-1)!.href, {
      method: 'POST',
      body: new URLSearchParams({ login: ' ' }),
    })
    expect(empty.status).toBe(400)
    expect(await empty.text()).toContain('A login is needed')
  })

  test('a user who is signed in at the provider is asked again for an account', async () => {
    const browser = new Browser(server.url)
    await browser.signIn({ login: 'jo' })
    const { urls } = await browser.follow(await browser.fetch('/auth/login'))
    expect(urls.at(-1)!.pathname).toMatch(/^\/dev\/idp\/interaction\//)
    // It has the landmarks, the way back and both themes of a page.
    const page = await (await browser.fetch(urls.at(-1)!.pathname)).text()
    expect(page).toMatch(/<header><a href="\/">[\s\S]*<main>\s*<h1>Sign in<\/h1>[\s\S]*<form[\s\S]*<\/main>/)
    expect(page).toContain('name="color-scheme" content="light dark"')
  })

  test('the built-in provider answers to names of this machine only', async () => {
    const { hostname, port } = new URL(server.url)
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      const path = '/dev/idp/.well-known/openid-configuration'
      request({ hostname, port, path, headers: { host: 'rebound.example' } }, (answer) =>
        resolve(answer.resume().statusCode),
      )
        .on('error', reject)
        .end()
    })
    expect(status).toBe(404)
  })

  test.each<Record<string, string>>([
    { forwarded: 'for=203.0.113.9' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '203.0.113.9' },
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-whatever': '' },
  ])('the built-in provider refuses sign-ins through a proxy: %j', async (headers) => {
    const paths = ['/dev/idp/.well-known/openid-configuration', '/dev/idp/interaction/x', '/auth/login']
    for (const path of paths) {
      const answer = await fetch(`${server.url}${path}`, { headers, redirect: 'manual' })
      expect([path, answer.status]).toEqual([path, 403])
      const { code, error } = (await answer.json()) as { code: string; error: string }
      expect([code, error]).toEqual(['development_only', expect.stringContaining('Set OIDC_ISSUER')])
    }
  })

  test('the built-in provider refuses sign-ins in HTTP/1.0, as nginx sends them', async () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.end(`GET /auth/login HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 .*development_only/s)
  })

  test('the form of the built-in provider refuses other sites, and to be framed', async () => {
    const browser = new Browser(server.url)
    const { response, urls } = await browser.follow(await browser.fetch('/auth/login'))
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    // So that browsers send the origin of the form.
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    const form = urls.at(-1)!.href
    const send = (headers: Record<string, string>) =>
      browser.fetch(form, { method: 'POST', headers, body: new URLSearchParams({ login: 'eve' }) })
    const others: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
    ]
    for (const headers of others) {
      const refused = await send(headers)
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'cross_site'])
    }
    expect((await send({ 'sec-fetch-site': 'same-origin', origin: server.url })).status).toBe(303)
  })

  test('who comes by another name of this machine signs in at the one the provider returns to', async () => {
    const { port } = new URL(server.url)
    const answer = await fetch(`http://localhost:${port}/auth/login?return_to=/a`, {
      redirect: 'manual',
    }).catch(() => null)
    // If `localhost` is only ::1, the server does not listen there.
    if (answer !== null) expect(answer.headers.get('location')).toBe(`${server.url}/auth/login?return_to=/a`)
  })
})

describe('a number of proxies', () => {
  test('believes as many addresses as there are proxies, whatever clients put before', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const limits = { trustProxy: 2, rateLimits: { anonymous: 100, account: 100, signIn: 100, reports: 10 } }
    const server = await serveForTest(settings, { ...limits, now: stoppedClock() })
    const left = async (forwarded: string) => {
      const answer = await fetch(`${server.url}/api/collections`, {
        headers: { 'x-forwarded-for': forwarded },
      })
      return Number(answer.headers.get('ratelimit-remaining'))
    }
    // The client's address, added by the outer proxy, then the outer proxy's, added by the inner one.
    expect(await left('198.51.100.7, 192.0.2.1')).toBe(99)
    expect(await left('203.0.113.1, 198.51.100.7, 192.0.2.1')).toBe(98)
    expect(await left('203.0.113.2, 203.0.113.3, 198.51.100.7, 192.0.2.1')).toBe(97)
    expect(await left('198.51.100.8, 192.0.2.1')).toBe(99)
    await server.close()
    await dispose()
  })
})

describe('a provider that is away', () => {
  test('gives 503, then works when it is back', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const provider = createServer((_request, answer) => {
      const issuer = `http://127.0.0.1:${port}`
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify({ issuer, authorization_endpoint: `${issuer}/ask` }))
    })
    const port = await listen(provider, 0)
    await stop(provider)
    const server = await serveForTest(settings, {
      oidc: { issuer: `http://127.0.0.1:${port}`, clientId: 'ulmus' },
    })
    const login = () => fetch(`${server.url}/auth/login`, { redirect: 'manual' })
    const away = await login()
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await away.json()).toMatchObject({ code: 'sign_in_unavailable' })
    await listen(provider, port)
    const back = await login()
    expect([back.status, new URL(back.headers.get('location')!).pathname]).toEqual([302, '/ask'])
    // The built-in provider is disabled if another one is configured.
    expect((await fetch(`${server.url}/dev/idp/.well-known/openid-configuration`)).status).toBe(404)
    await server.close()
    await stop(provider)
    await dispose()
  })
})

describe('a provider with another client secret', () => {
  test('shows an error page, and logs the settings for the operator', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const provider = createServer((request, answer) => {
      const issuer = `http://127.0.0.1:${port}`
      answer.setHeader('content-type', 'application/json')
      if (request.url !== '/token')
        return answer.end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/ask`,
            token_endpoint: `${issuer}/token`,
          }),
        )
      answer.writeHead(401).end(JSON.stringify({ error: 'invalid_client' }))
    })
    const port = await listen(provider, 0)
    const log: string[] = []
    const logTo = { write: (line: string) => void log.push(line) }
    const oidc = { issuer: `http://127.0.0.1:${port}`, clientId: 'ulmus' }
    const server = await serveForTest(settings, { oidc, logTo, logLevel: 'warn' })
    const comeBack = async (accept: string) => {
      const login = await fetch(`${server.url}/auth/login`, { redirect: 'manual' })
      const state = new URL(login.headers.get('location')!).searchParams.get('state')
      const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
      return fetch(`${server.url}/auth/callback?code=a&state=${state}`, { headers: { cookie, accept } })
    }
    const page = await comeBack('text/html')
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    const text = await page.text()
    expect(text).toContain('does not accept this registry')
    expect(text).toContain('href="/auth/login"')
    const lines = log.map((line) => JSON.parse(line))
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        reqId: page.headers.get('x-request-id'),
        msg: expect.stringMatching(/^A sign-in failed: .* Set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/),
      }),
    ])
    expect(text).toContain(`name the request: <code>${lines[0].reqId}</code>`)
    const answer = await comeBack('*/*')
    expect(await answer.json()).toMatchObject({ code: 'sign_in_unavailable', statusCode: 503 })
    await server.close()
    await stop(provider)
    await dispose()
  })
})

describe('a browser that comes back', () => {
  test('without its cookie, or with that of another server, is a line in the log', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const log: string[] = []
    const logTo = { write: (line: string) => void log.push(line) }
    const server = await serveForTest(settings, { logTo, logLevel: 'info' })
    const back = async (cookie: string | undefined, query = '?code=secret-code&state=secret-state') => {
      log.length = 0
      const browser = new Browser(server.url)
      if (cookie !== undefined) browser.setCookie('ulmus_sign_in', cookie)
      expect((await browser.fetch(`/auth/callback${query}`)).status).toBe(400)
      expect(log.join('')).not.toContain('secret')
      const [line, ...more] = log.map((text) => JSON.parse(text)).filter(({ msg }) => msg !== 'answered')
      expect(more).toEqual([])
      return [line.level, line.msg]
    }
    expect(await back(undefined)).toEqual([
      40,
      expect.stringContaining('is not the address that visitors use'),
    ])
    expect(await back(undefined, '')).toEqual([30, expect.stringContaining('without the cookie')])
    expect(await back('a.b')).toEqual([40, expect.stringContaining('different values of OIDC_CLIENT_SECRET')])
    await server.close()
    await dispose()
  })
})

const listen = (server: HttpServer, port: number) =>
  new Promise<number>((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })

const stop = (server: HttpServer) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
