/**
 * Requests as they are written: paths are not tidied up, answers not decompressed, redirects not followed. For tests of what an
 * ordinary client would smooth over; `calls.ts` is the ordinary one.
 */
import { hash } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** Headers of a body that is sent as it is. */
export const json = { 'content-type': 'application/json' }
export const ndjson = { 'content-type': 'application/x-ndjson' }

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** The body parsed; undefined where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by comparing it.
  readonly json: any
}

export interface Ask {
  readonly body?: string | Uint8Array
  readonly headers?: Record<string, string>
}

export type Asker = ReturnType<typeof askerOf>

/**
 * @param url of the server. @param key a raw API key, or a whole `Cookie` header as `{cookie}`; absent: no credential.
 * @param base what every path begins with
 */
export function askerOf(url: string, key?: string | { cookie: string }, base = '/api') {
  const credential: Record<string, string> =
    key === undefined
      ? {}
      : typeof key === 'string'
        ? { authorization: `Bearer ${key}` }
        : { cookie: key.cookie, 'sec-fetch-site': 'same-origin' }

  /** Begins a request and gives the answer as it begins, to be read or not. Paths begin after `base`. */
  const open = (method: string, path: string, { body, headers }: Ask = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = request(
        url,
        { method, path: `${base}${path}`, headers: { ...credential, ...length, ...headers } },
        resolve,
      )
      // After the answer has begun, what becomes of the rest of the request is of no more interest.
      sent.on('error', reject)
      sent.end(body)
    })

  const ask = async (method: string, path: string, asked?: Ask): Promise<Answer> => {
    const answer = await open(method, path, asked)
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const text = bytes.toString('utf8')
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    const isPlain = answer.headers['content-encoding'] === undefined
    const json: unknown = isJson && isPlain && text !== '' ? JSON.parse(text) : undefined
    return { status: answer.statusCode ?? 0, headers: answer.headers, bytes, text, json }
  }

  return {
    open,
    ask,
    get: (path: string, headers?: Record<string, string>) => ask('GET', path, headers ? { headers } : {}),
    /** JSON; a string is sent as it is. */
    post: (path: string, body?: unknown) =>
      ask(
        'POST',
        path,
        body === undefined
          ? {}
          : {
              body: typeof body === 'string' ? body : JSON.stringify(body),
              headers: json,
            },
      ),
    /** NDJSON; strings are sent as they are. */
    lines: (path: string, lines: readonly unknown[]) =>
      ask('POST', path, {
        body: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
        headers: ndjson,
      }),
    /** A file, under the name that its bytes have. */
    upload: (collection: string, bytes: string | Uint8Array, contentType = 'text/plain') =>
      ask('PUT', `${collection}/files/${fileHash(bytes)}`, {
        body: bytes,
        headers: { 'content-type': contentType },
      }),
  }
}

/** `sha256:` and the hash of the bytes. */
export const fileHash = (bytes: string | Uint8Array): string => `sha256:${hash('sha256', bytes)}`
