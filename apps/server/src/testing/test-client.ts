/**
 * HTTP client for tests of the API and of pages. Sends paths unchanged, decompresses nothing and follows no redirect. `Browser` is for
 * signing in: it keeps cookies and follows redirects.
 */
import { hash } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { parseJson } from '@ulmus/content'

/** Headers of a raw JSON body. */
export const json = { 'content-type': 'application/json' }
export const ndjson = { 'content-type': 'application/x-ndjson' }
export const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }

export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by comparing it.
  readonly json: any
}

export interface RequestOptions {
  readonly body?: string | Uint8Array
  readonly headers?: Record<string, string>
}

export type TestClient = ReturnType<typeof testClient>

/**
 * @param url of the server. @param credential a raw API key, or a whole `Cookie` header; absent: none.
 * @param base prefix of every path; empty for pages
 */
export function testClient(url: string, credential?: string | { readonly cookie: string }, base = '/api') {
  const credentials: Record<string, string> =
    credential === undefined
      ? {}
      : typeof credential === 'string'
        ? { authorization: `Bearer ${credential}` }
        : { cookie: credential.cookie, 'sec-fetch-site': 'same-origin' }

  /** Sends a request. Resolves with the start of its response; the caller may ignore the body. */
  const open = (method: string, path: string, { body, headers }: RequestOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { method, path: `${base}${path}`, headers: { ...credentials, ...length, ...headers } }
      // After the response has begun, ignore errors of the rest of the request.
      httpRequest(url, options, resolve).on('error', reject).end(body)
    })

  const request = async (method: string, path: string, options?: RequestOptions): Promise<TestResponse> => {
    const response = await open(method, path, options)
    const bytes = Buffer.concat(await response.toArray())
    const text = bytes.toString('utf8')
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    const isPlain = response.headers['content-encoding'] === undefined
    const json: unknown = isJson && isPlain && text !== '' ? parseJson(text) : undefined
    return { status: response.statusCode ?? 0, headers: response.headers, bytes, text, json }
  }

  /** Sends JSON; sends a string or bytes unchanged. */
  const sendJson = (method: string) => (path: string, value?: unknown) => {
    if (value === undefined) return request(method, path)
    const isEncoded = typeof value === 'string' || value instanceof Uint8Array
    return request(method, path, { body: isEncoded ? value : JSON.stringify(value), headers: json })
  }

  return {
    open,
    request,
    get: (path: string, headers: Record<string, string> = {}) => request('GET', path, { headers }),
    post: sendJson('POST'),
    put: sendJson('PUT'),
    patch: sendJson('PATCH'),
    delete: (path: string) => request('DELETE', path),
    /** Posts NDJSON; sends strings unchanged. */
    lines: (path: string, lines: readonly unknown[]) =>
      request('POST', path, {
        body: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
        headers: ndjson,
      }),
    /** Posts form fields as a browser does. */
    postForm: (path: string, fields: Readonly<Record<string, string>>) =>
      request('POST', path, { body: new URLSearchParams(fields).toString(), headers: urlencoded }),
    /** Uploads a file under the hash of its bytes. */
    upload: (collection: string, bytes: string | Uint8Array, contentType = 'text/plain') =>
      request('PUT', `${collection}/files/${fileHash(bytes)}`, {
        body: bytes,
        headers: { 'content-type': contentType },
      }),
  }
}

/** `sha256:` and the hash of the bytes. */
export const fileHash = (bytes: string | Uint8Array): string => `sha256:${hash('sha256', bytes)}`

/** Waits for a response. @throws Error with its text if it has another status; without `status`, if it did not succeed */
export async function expectStatus(pending: Promise<TestResponse>, status?: number): Promise<TestResponse> {
  const response = await pending
  if (status === undefined ? response.status >= 300 : response.status !== status)
    throw new Error(`Unexpected response ${response.status}: ${response.text.slice(0, 1_000)}`)
  return response
}

/** Repeats a question until its table is built, which takes long on a busy machine. */
export async function whenBuilt(ask: () => Promise<TestResponse>): Promise<TestResponse> {
  for (;;) {
    const response = await ask()
    if (response.status !== 202) return response
  }
}

/** Headers that differ between any two responses. The length differs with the names in a body; the body itself is compared. */
const varyingHeaders = ['date', 'x-request-id', 'content-length', 'ratelimit-remaining', 'ratelimit-reset']

/** Parts of a response to compare with one that must be indistinguishable. @param path requested `owner/slug`, which is masked */
export function comparableParts({ status, headers, text }: TestResponse, path: string) {
  const mask = (words: string) =>
    words.replaceAll(path, 'OWNER/SLUG').replaceAll(encodeURIComponent(path), 'OWNER%2FSLUG')
  const compared = Object.entries(headers).filter(([header]) => !varyingHeaders.includes(header))
  return { status, headers: mask(JSON.stringify(compared)), text: mask(text) }
}
