/** Signs in like a browser: redirects, forms and cookies, with only `fetch`. http-api §2. */

import { setTimeout as sleep } from 'node:timers/promises'

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

/** Cookies of one site by RFC 6265, limited to name, path and expiry. */
export class CookieJar {
  #cookies: Cookie[] = []

  /** The `Cookie` header for a path; undefined if there is no cookie for it. */
  header(path: string): string | undefined {
    const fitting = this.#cookies.filter((cookie) => isUnder(path, cookie.path))
    return fitting.length === 0 ? undefined : fitting.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  /** Stores and removes cookies by the headers of a response from `path`. */
  take(headers: Headers, path: string): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const cut = pair.indexOf('=')
      const given = new Map(attributes.map((text) => splitOnce(text.toLowerCase(), text, '=')))
      const cookie = {
        name: pair.slice(0, cut),
        value: pair.slice(cut + 1),
        path: given.get('path') ?? (path.slice(0, path.lastIndexOf('/')) || '/'),
      }
      this.#cookies = this.#cookies.filter((held) => held.name !== cookie.name || held.path !== cookie.path)
      const isGone = given.get('max-age') === '0' || Date.parse(given.get('expires') ?? '') < Date.now()
      if (!isGone) this.#cookies.push(cookie)
    }
  }

  has(name: RegExp): boolean {
    return this.#cookies.some((cookie) => name.test(cookie.name))
  }
}

const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Name of the attribute in lower case, and its value unchanged. */
function splitOnce(lower: string, text: string, separator: string): [string, string] {
  const cut = text.indexOf(separator)
  return cut < 0 ? [lower, ''] : [lower.slice(0, cut), text.slice(cut + 1)]
}

export interface Person {
  /** The handle that becomes the account's slug. */
  readonly login: string
  readonly name: string
  readonly email: string
}

/** A browser's session with one site. */
export interface SignedIn {
  /** `fetch` with the session's cookie, and the `Origin` that a page of the site itself would send. */
  readonly fetch: typeof globalThis.fetch
}

const retryMilliseconds = 1_000
/** Maximum number of redirects, forms and tries: login, provider, form, consent, provider, callback, home. */
const stepsMax = 20

/**
 * Signs in at `baseUrl` through the form of its identity provider.
 * @throws Error with the last page if no session results
 */
export async function signIn(baseUrl: string, person: Person): Promise<SignedIn> {
  const site = new URL(baseUrl)
  const jar = new CookieJar()
  let url = new URL('/auth/login?return_to=/', site)
  let form: URLSearchParams | undefined
  for (let step = 0; step < stepsMax; step++) {
    const response = await visit(jar, url, form)
    form = undefined
    const location = response.headers.get('location')
    if (location !== null && response.status >= 300 && response.status < 400) {
      url = new URL(location, url)
      if (jar.has(sessionCookie)) return { fetch: fetchWith(jar, site) }
      continue
    }
    const page = await response.text()
    // A provider that has just started on a busy machine: as a person would, try again.
    if (response.status === 503) {
      await sleep(retryMilliseconds)
      continue
    }
    const filled = response.ok ? fillForm(page, person) : undefined
    if (filled === undefined)
      throw new Error(`Signing in stopped at ${url.href} (${response.status}).\n${page.slice(0, 500)}`)
    url = new URL(filled.action, url)
    form = filled.fields
  }
  throw new Error(`Signing in at ${baseUrl} went through ${stepsMax} pages without an end.`)
}

const sessionCookie = /^(?:__Host-)?ulmus_session$/

async function visit(jar: CookieJar, url: URL, form: URLSearchParams | undefined): Promise<Response> {
  const headers: Record<string, string> = { accept: 'text/html' }
  const cookies = jar.header(url.pathname)
  if (cookies !== undefined) headers['cookie'] = cookies
  if (form !== undefined) headers['origin'] = url.origin
  const method = form === undefined ? 'GET' : 'POST'
  const response = await fetch(url, { method, headers, body: form, redirect: 'manual' })
  jar.take(response.headers, url.pathname)
  return response
}

/** Fills the page's form with the person's data; undefined if no form asks for a login. */
export function fillForm(
  page: string,
  person: Person,
): { action: string; fields: URLSearchParams } | undefined {
  const form = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(page)
  if (form === null) return undefined
  const fields = new URLSearchParams()
  for (const [, attributes = ''] of form[2]!.matchAll(/<input\b([^>]*)>/gi)) {
    const name = attribute(attributes, 'name')
    if (name === undefined) continue
    fields.append(name, { ...person }[name] ?? attribute(attributes, 'value') ?? '')
  }
  return { action: attribute(form[1]!, 'action') ?? '', fields }
}

const attribute = (text: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(text)?.[1]?.replaceAll('&amp;', '&')

function fetchWith(jar: CookieJar, site: URL): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    const cookies = jar.header('/api')
    if (cookies !== undefined) headers.set('cookie', cookies)
    headers.set('origin', site.origin)
    return fetch(input, { ...init, headers })
  }
}
