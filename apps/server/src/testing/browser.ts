/** As much of a browser as signing in needs: a cookie jar by path, redirects followed, one form filled in. */

interface Cookie {
  value: string
  path: string
}

export interface Person {
  login: string
  name?: string
  email?: string
}

const redirectsMax = 10

export class Browser {
  readonly #origin: string
  readonly #jar = new Map<string, Cookie>()

  constructor(origin: string) {
    this.#origin = origin
  }

  /** One request, its cookies kept, redirects not followed. Writes say that they come from the site itself. */
  async fetch(url: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const target = new URL(url, this.#origin)
    const cookie = this.cookieHeader(target.pathname)
    const headers = { 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }), ...init.headers }
    const answer = await fetch(target, { redirect: 'manual', ...init, headers })
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    return answer
  }

  /** Follows redirects with GET from an answer to the first that is none. Tells every address on the way. */
  async follow(
    answer: Response,
    stopBefore?: (url: URL) => boolean,
  ): Promise<{ answer: Response; urls: URL[] }> {
    const urls: URL[] = []
    let last = answer
    while (last.status >= 300 && last.status < 400 && last.status !== 304 && urls.length < redirectsMax) {
      const url = new URL(last.headers.get('location')!, urls.at(-1) ?? this.#origin)
      urls.push(url)
      if (stopBefore?.(url)) break
      await last.body?.cancel()
      last = await this.fetch(url.href)
    }
    return { answer: last, urls }
  }

  /** To the form of the built-in provider and through it; not yet back at `/auth/callback`, whose address this gives. */
  async signInUntilCallback(person: Person, returnTo?: string): Promise<URL> {
    const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`
    const begun = await this.fetch(`/auth/login${query}`)
    const { urls } = await this.follow(begun)
    const form = urls.at(-1)
    if (form === undefined)
      throw new Error(`No redirect to a sign-in form, but ${begun.status}: ${await begun.text()}`)
    const answer = await this.fetch(form.href, { method: 'POST', body: new URLSearchParams({ ...person }) })
    const atCallback = (url: URL) => url.pathname === '/auth/callback'
    const { answer: last, urls: after } = await this.follow(answer, atCallback)
    const back = after.at(-1)
    if (back === undefined || !atCallback(back))
      throw new Error(`The provider did not send the browser back, but ${last.status}: ${await last.text()}`)
    return back
  }

  /** The whole way; the answer of the callback. */
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
    const gone = attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now())
    if (gone) this.#jar.delete(name)
    else this.#jar.set(name, { value, path: attribute('path') ?? '/' })
  }
}
