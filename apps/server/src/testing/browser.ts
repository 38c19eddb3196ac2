/** Minimal browser for signing in during tests: a cookie jar by path, redirects and one form. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus, testClient } from './test-client.ts'

interface Cookie {
  value: string
  path: string
}

export interface Person {
  login: string
  name?: string
  email?: string
}

export interface SignedIn {
  /** For a `Cookie` header. Writes with it also need `Sec-Fetch-Site: same-origin`. */
  readonly cookie: string
  readonly account: {
    id: string
    slug: string
    type: string
    displayName: string
    email: string
    createdAt: string
  }
}

/** Signs in through the built-in identity provider, as a browser would. */
export async function signIn(url: string, person: Person): Promise<SignedIn> {
  const browser = new Browser(url)
  await browser.signIn(person)
  const cookie = browser.cookieHeader('/')
  return { cookie, account: (await expectStatus(testClient(url, { cookie }).get('/accounts/me'), 200)).json }
}

/** Makes an API key. Returns the raw key. */
export async function keyFor(
  url: string,
  cookie: string,
  scope: 'read' | 'write' | 'admin',
  more: {
    label?: string
    collectionId?: string
    collections?: string[]
    roleCap?: 'member'
    expiresAt?: string
  } = {},
): Promise<string> {
  const response = testClient(url, { cookie }).post('/accounts/keys', { label: 'test', scope, ...more })
  return (await expectStatus(response, 201)).json.key
}

const redirectsMax = 10
/** Of a sign-in, with a second between them. */
const triesMax = 10

export class Browser {
  readonly #origin: string
  readonly #jar = new Map<string, Cookie>()

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Sends one request and stores its cookies; follows no redirects. Writes are marked as coming from the same site. */
  async fetch(url: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const target = new URL(url, this.#origin)
    const cookie = this.cookieHeader(target.pathname)
    const headers = { 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }), ...init.headers }
    const response = await fetch(target, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Follows redirects with GET to the first response that is not a redirect. Returns it with the addresses visited. */
  async follow(
    response: Response,
    stopBefore?: (url: URL) => boolean,
  ): Promise<{ response: Response; urls: URL[] }> {
    const urls: URL[] = []
    let last = response
    while (last.status >= 300 && last.status < 400 && last.status !== 304 && urls.length < redirectsMax) {
      const url = new URL(last.headers.get('location')!, urls.at(-1) ?? this.#origin)
      urls.push(url)
      if (stopBefore?.(url)) break
      await last.body?.cancel()
      last = await this.fetch(url.href)
    }
    return { response: last, urls }
  }

  /** Submits the form of the built-in provider. Returns the address of `/auth/callback` without requesting it. */
  async signInUntilCallback(person: Person, returnTo?: string): Promise<URL> {
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`
    let login = await this.fetch(`/auth/login${query}`)
    // A busy machine has no time for the built-in provider, and says to try again.
    for (let tries = 1; login.status === 503 && tries < triesMax; tries++) {
      await sleep(1_000)
      login = await this.fetch(`/auth/login${query}`)
    }
    const { urls } = await this.follow(login)
    const form = urls.at(-1)
    if (form === undefined)
      throw new Error(`No redirect to a sign-in form, but ${login.status}: ${await login.text()}`)
    const submitted = await this.fetch(form.href, {
      method: 'POST',
      body: new URLSearchParams({ ...person }),
    })
    const atCallback = (url: URL) => url.pathname === '/auth/callback'
    let { response: last, urls: after } = await this.follow(submitted, atCallback)
    if (last.status === 200)
      ({ response: last, urls: after } = await this.#submit(await last.text(), atCallback))
    const callback = after.at(-1)
    if (callback === undefined || !atCallback(callback))
      throw new Error(`The provider did not send the browser back, but ${last.status}: ${await last.text()}`)
    return callback
  }

  /** Submits a form of hidden fields, which the provider sends to browsers that had another person's session. */
  async #submit(page: string, stopBefore: (url: URL) => boolean) {
    const action = /<form [^>]*action="([^"]*)"/.exec(page)?.[1] ?? ''
    const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const body = new URLSearchParams(fields.map(([, name, value]) => [name!, value!]))
    return this.follow(await this.fetch(action, { method: 'POST', body }), stopBefore)
  }

  /** Signs in. Returns the response of the callback. */
  async signIn(person: Person, returnTo?: string): Promise<Response> {
    return this.fetch((await this.signInUntilCallback(person, returnTo)).href)
  }

  cookie(name: string): string | undefined {
    return this.#jar.get(name)?.value
  }

  setCookie(name: string, value: string): void {
    this.#jar.set(name, { value, path: '/' })
  }

  cookieHeader(path: string): string {
    const sent = [...this.#jar].filter(([, cookie]) => path.startsWith(cookie.path))
    return sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const attribute = (key: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1)
    const expires = attribute('expires')
    const isExpired =
      attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now())
    if (isExpired) this.#jar.delete(name)
    else this.#jar.set(name, { value, path: attribute('path') ?? '/' })
  }
}
