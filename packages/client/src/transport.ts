/** HTTP transport of the client: JSON and streamed requests, with retries and errors in one place. */
import { parseJson } from '@ulmus/content'
import { readChunks, readWhole } from './chunks.ts'
import { errorFromAnswer, UlmusError } from './errors.ts'
import { exactJson } from './exact-json.ts'
import { type RetryPolicy, retrying, usualRetry } from './retry.ts'
import { demandMembers, demandSubject } from './subject.ts'

export interface ClientOptions {
  /** URL of the registry, without `/api`: `https://registry.example.org`. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer`. Default: the credentials that `fetch` sends by itself, such as a browser's session cookie. */
  readonly apiKey?: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  readonly retry?: Partial<RetryPolicy>
  /** Timeout for silence of the server; longer for a large body. Milliseconds, default 120,000. */
  readonly timeoutMs?: number
}

/** A slower upload counts as silence. Bytes per millisecond (64 KiB/s). */
const slowestUploadBytesPerMs = 64

/** Maximum of a JSON answer: 64 MiB. Pages are bounded, so a registry's answers are smaller. */
const jsonBytesMax = 67_108_864
/** Largest byte array on all platforms: 2 GiB. */
const fileBytesMax = 2_147_483_647

/** A list is a repeated parameter. */
type QueryValue = string | number | boolean | readonly string[] | undefined

/** A request. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Begins with `/api/`; its segments are percent-encoded by `requestOf`. */
  readonly path: string
  /** Undefined members are omitted. */
  readonly query?: Readonly<Record<string, QueryValue>>
  /** A body to send as JSON. */
  readonly json?: unknown
  /** A body to send unchanged, with its type. Must be sendable twice: bytes, not a stream. */
  readonly raw?: { readonly body: Uint8Array<ArrayBuffer> | Blob; readonly contentType: string }
  /** True if a repetition is harmless. Default: true for GET and PUT. */
  readonly repeatable?: boolean
  readonly signal?: AbortSignal
  /** Called before each retry. */
  readonly onRetry?: () => void
}

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** Sends requests with retries. All calls of the client use one transport. */
export interface Transport {
  readonly policy: RetryPolicy
  readonly timeoutMs: number
  /** Returns the answer with its body parsed as JSON (undefined if it has none). @param bytesMax default: 64 MiB. @throws UlmusError; the signal's reason */
  json<T>(call: Call, bytesMax?: number): Promise<Answer<T>>
  /** Returns the answer with its whole body in memory. @param bytesMax default: 2 GiB. @throws UlmusError; the signal's reason */
  bytes(call: Call, bytesMax?: number): Promise<Answer<Uint8Array<ArrayBuffer>>>
  /** Returns the response once its headers arrive, and a function that drops it. @throws UlmusError; the signal's reason */
  open(call: Call): Promise<{ response: Response; drop: (reason: unknown) => void }>
}

/** @throws TypeError for options with which every call would fail */
export function openTransport(options: ClientOptions): Transport {
  demandUsable(options)
  const base = options.baseUrl.replace(/\/+$/, '')
  const fetcher = options.fetch ?? globalThis.fetch.bind(globalThis)
  const policy = { ...usualRetry, ...options.retry }
  const timeoutMs = options.timeoutMs ?? 120_000

  /** `read` is part of the attempt: if the body breaks off, the request is retried. */
  async function send<T>(
    call: Call,
    read: (response: Response, stop: AbortController) => Promise<T>,
  ): Promise<T> {
    const { method, repeatable = method === 'GET' || method === 'PUT' } = call
    const url = base + call.path + queryText(call.query)
    const { headers, body } = await requestBody(call, options)
    const waitMs = timeoutMs + bytesOf(body) / slowestUploadBytesPerMs
    const { signal: given, onRetry } = call
    return retrying(policy, { repeatable, signal: given, onRetry }, async () => {
      const stop = new AbortController()
      const patience = setTimeout(() => stop.abort(new Error(`silent for ${waitMs} ms`)), waitMs)
      const signal = call.signal === undefined ? stop.signal : AbortSignal.any([call.signal, stop.signal])
      try {
        const ask = { method, headers, body, signal, redirect: 'manual' } as const
        let at = url
        let response = await fetcher(at, ask)
        // A moved collection answers 308 with its new address on the same registry.
        for (let moves = 0; isRedirect(response); moves++) {
          const next = moves < movesMax ? moveOf(response, at, base) : undefined
          if (next === undefined || body instanceof ReadableStream) throw redirected(response, at)
          await response.body?.cancel()
          at = next
          response = await fetcher(at, ask)
        }
        clearTimeout(patience)
        if (!response.ok) throw errorFromAnswer(response, await readText(response, timeoutMs))
        demandSubject(at.slice(base.length), response)
        return await read(response, stop)
      } catch (error) {
        throw asFailure(error, base, call.signal)
      } finally {
        clearTimeout(patience)
      }
    })
  }

  const whole = <T>(
    call: Call,
    bytesMax: number,
    render: (bytes: Uint8Array<ArrayBuffer>, response: Response) => T,
  ): Promise<Answer<T>> =>
    send(call, async (response) => {
      const body = render(await readWhole(response, timeoutMs, bytesMax), response)
      return { status: response.status, headers: response.headers, body }
    })

  return {
    policy,
    timeoutMs,
    json: <T>(call: Call, bytesMax = jsonBytesMax) =>
      whole(call, bytesMax, (bytes, response) => {
        const body = jsonOf(bytes)
        if (response.status !== 202) demandMembers(call.method, response, body)
        return body as T
      }),
    bytes: (call, bytesMax = fileBytesMax) => whole(call, bytesMax, (bytes) => bytes),
    open: (call) =>
      send(call, async (response, stop) => ({
        response: guarded(response, timeoutMs, base + call.path, call.signal),
        drop: (reason) => stop.abort(reason),
      })),
  }
}

/** The response with a body that ends with an error if it breaks off or is silent for `silenceMs`. */
function guarded(response: Response, silenceMs: number, where: string, signal?: AbortSignal): Response {
  if (response.body === null) return response
  const chunks = readChunks(response, silenceMs)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        controller.error(asFailure(error, where, signal))
      }
    },
    cancel: async () => void (await chunks.return()),
  })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}

/** Checks options at run time, because plain JavaScript has no compiler that reports a missing one before the first call fails. */
function demandUsable({ baseUrl, apiKey }: Partial<ClientOptions> = {}): void {
  const inBrowser = 'location' in globalThis
  const like = "such as 'https://registry.example'"
  if (typeof baseUrl !== 'string')
    throw new TypeError(`createClient needs baseUrl, the address of the registry, ${like}.`)
  if (!URL.canParse(baseUrl) && !inBrowser)
    throw new TypeError(
      `baseUrl must be the address of the registry, ${like}; it is ${JSON.stringify(baseUrl)}.`,
    )
  if (/\/api\/*$/.test(baseUrl))
    throw new TypeError(`baseUrl is the address of the registry, ${like}: leave out /api.`)
  if (apiKey !== undefined && !(typeof apiKey === 'string' && apiKey.startsWith('ul_')))
    throw new TypeError('apiKey is not an API key: keys start with `ul_`. Omit it to read public data.')
}

interface RequestBody {
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob
}

/** Shorter bodies are not compressed. Bytes or characters. */
const compressedMin = 1_024

async function requestBody(call: Call, options: ClientOptions): Promise<RequestBody> {
  const headers: Record<string, string> = {}
  if (options.apiKey !== undefined) headers['authorization'] = `Bearer ${options.apiKey}`
  const { json, raw } = call
  if (json === undefined && raw === undefined) return { headers }
  headers['content-type'] = raw?.contentType ?? 'application/json'
  const body = raw?.body ?? exactJson(json, () => 'The request')
  // Files are stored as they are sent, so the registry refuses them compressed.
  const isText = json !== undefined || raw?.contentType === 'application/x-ndjson'
  if (!isText || body instanceof Blob || body.length < compressedMin) return { headers, body }
  headers['content-encoding'] = 'gzip'
  return { headers, body: await compressed(body) }
}

async function compressed(body: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function bytesOf(body: RequestBody['body']): number {
  return body instanceof Blob ? body.size : (body?.length ?? 0)
}

const jsonOf = (bytes: Uint8Array): unknown =>
  bytes.length === 0 ? undefined : parseJson(new TextDecoder().decode(bytes))

const readText = async (response: Response, silenceMs: number): Promise<string> =>
  new TextDecoder().decode(await readWhole(response, silenceMs, jsonBytesMax))

function queryText(query: Call['query']): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of value === undefined ? [] : [value].flat()) parameters.append(name, String(one))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** Browsers report a redirect as an opaque answer with status 0. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)

/** Maximum of redirects followed in one call. */
const movesMax = 3

/** Owners and collections, whose names can change. */
const movable = /^\/api\/(?:(collections)\/[^/?]+\/|(accounts|orgs)\/)[^/?]+/

/** Target of a 307 or 308 on the same origin for another name of the same thing; undefined for any other redirect. */
function moveOf({ status, headers }: Response, url: string, base: string): string | undefined {
  const target = headers.get('location')
  if ((status !== 307 && status !== 308) || target === null || !URL.canParse(target, url)) return undefined
  const next = new URL(target, url)
  const before = new URL(url)
  const [asked, moved] = [before, next].map(({ href }) =>
    href.slice(new URL(base).href.replace(/\/$/, '').length),
  )
  const rest = (text: string) => text.replace(movable, '$1$2')
  return next.origin === before.origin && rest(asked!) === rest(moved!) ? next.href : undefined
}

/** A redirect to another origin would send the key and the body to strangers; any other could answer another question. */
function redirected({ status, headers }: Response, url: string): UlmusError {
  const target = headers.get('location')
  const to = target !== null && URL.canParse(target, url) ? ` to ${new URL(target, url).href}` : ''
  return new UlmusError(
    `${url} redirects${to}. Only a redirect to a new name of the same thing on the same host is followed: if you trust that address, name it yourself.`,
    { status, code: 'redirected' },
  )
}

/** Passes on the caller's own abort and UlmusErrors; any other error means that the request got no answer. */
export function asFailure(error: unknown, where: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof UlmusError) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const why = cause instanceof Error ? cause.message : String(cause)
  return new UlmusError(`No answer from ${where}: ${why}.`, { status: 0, code: 'network', cause: error })
}
