/**
 * Request bodies: strict JSON everywhere, other types only in the scopes of routes that accept them, and the rest of bodies that were
 * not read.
 */
import { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { parseStrict, RegistryError } from '@ulmus/registry'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import { cutLateBodies, hasBodyToCome } from './slow-peers.ts'

/** Default limit of a JSON body; a route may set `bodyLimit`. Parsing blocks the event loop, 40 ms per MiB. Bytes. */
export const jsonBytesMax = 256 * 1024

/** Content types of NDJSON; none is registered. */
export const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/**
 * Parses JSON by the input rules of content-model §2: refuses duplicate keys, integers that a double cannot represent, lone surrogates and
 * the like. Accepts an empty body, for routes that need none.
 */
export function readStrictJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => (body.length === 0 ? undefined : parseStrict(body)),
  )
  refuseOtherTypes(app)
  // Fastify refuses an unreadable type before it looks for a parser.
  app.addHook('onRequest', async (request) => {
    if (!hasBodyToCome(request.raw) && request.mediaType === undefined) delete request.headers['content-type']
  })
}

/** Refuses bodies without a parser. An empty body has no type: many programs send the same `Content-Type` with each request. */
function refuseOtherTypes(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', async (request: FastifyRequest, stream: Readable) => {
    if (request.is404 || !(await hasBytes(request, stream))) return undefined
    throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()
  })
}

/** Reads the first bytes only if no header has their number. */
async function hasBytes({ raw, headers }: FastifyRequest, stream: Readable): Promise<boolean> {
  if (headers['transfer-encoding'] === undefined) return hasBodyToCome(raw)
  const first = await stream.iterator({ destroyOnReturn: false }).next()
  return first.done !== true
}

/** In the scope of routes that accept NDJSON: `request.body` is the unread, unlimited stream. */
export function receiveNdjson(scope: FastifyInstance): void {
  cutLateBodies(scope)
  // These routes refuse JSON as well.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    ndjsonTypes,
    async (_request: FastifyRequest, stream: FastifyRequest['raw']) => stream,
  )
  refuseOtherTypes(scope)
}

/**
 * In the scope of routes that accept raw bytes of any type, including JSON: `request.body` is the unread, unlimited stream. The server
 * stores the bytes as sent and undoes no content encoding: 241 bytes of zstd can expand to 300 MiB. Such routes must also set `decompress:
 * false`.
 */
export function receiveBytes(scope: FastifyInstance): void {
  scope.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding']?.trim() ?? ''
    if (/^(?:identity)?$/i.test(encoding)) return
    throw new RegistryError('unsupported_media_type', { say: { encoding, onlyPlain: true } })
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (_request: FastifyRequest, stream: FastifyRequest['raw']) => stream)
}

/** In the scope of routes that accept JSON too large to parse on the event loop: `request.body` is the unread, unlimited stream. */
export function receiveLargeJson(scope: FastifyInstance): void {
  cutLateBodies(scope)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    async (_request: FastifyRequest, stream: FastifyRequest['raw']) => stream,
  )
  refuseOtherTypes(scope)
}

/**
 * An unread body; a missing one is empty. A consumer that stops early leaves the request open: a destroyed request stops its connection
 * from reading, so that the connection would never answer again.
 */
export function bytesOf(body: unknown): AsyncIterable<Uint8Array> {
  if (!(body instanceof IncomingMessage)) return (body ?? Readable.from([])) as AsyncIterable<Uint8Array>
  return { [Symbol.asyncIterator]: () => body.iterator({ destroyOnReturn: false }) }
}

/** Bounds of the rest of a body that is read and dropped after its answer. */
export interface RestBounds {
  readonly bytes: number
  readonly milliseconds: number
}

/** An ordinary rest ends soon, so the connection stays usable. Beyond, the client had time to read the answer. */
const restBounds: RestBounds = { bytes: 64 * 1024 ** 2, milliseconds: 30_000 }

/**
 * After an answer, reads and drops the rest of the body, so that a client that is still sending can read the answer, and the next request of
 * the connection can be parsed. Beyond the bounds, or if the rest cannot be read, the connection is closed.
 */
export function dropUnreadBodies(app: FastifyInstance, bounds = restBounds): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!hasBodyToCome(raw)) return
    // A pipeline that destroys a request removes its socket.
    const { socket } = raw
    const isLast = !reply.raw.shouldKeepAlive
    reply.raw.once('finish', () => {
      const close = () => socket.destroySoon()
      if (raw.readableEnded) return void (isLast && close())
      if (raw.destroyed) return close()
      let left = bounds.bytes
      const late = setTimeout(close, bounds.milliseconds)
      raw.unpipe()
      raw.on('data', (chunk: Uint8Array) => {
        left -= chunk.length
        if (left < 0) close()
      })
      raw.once('end', () => {
        clearTimeout(late)
        if (isLast) close()
      })
      raw.once('close', () => {
        clearTimeout(late)
        if (!raw.readableEnded) close()
      })
      raw.resume()
    })
  })
  // A decompressor that fails, or whose reader stops early, destroys its source.
  app.addHook('preParsing', async ({ headers }, _reply, payload) => {
    if (headers['content-encoding'] === undefined) return payload
    const copy = payload.pipe(new PassThrough()).on('error', () => undefined)
    payload.once('error', (error) => copy.destroy(error))
    return copy
  })
  // Node and Fastify would close at once, and a connection that is closed before all was read loses the answer on its way.
  app.addHook('onSend', async ({ raw }, reply) => {
    if (!hasBodyToCome(raw)) return
    const { raw: response } = reply
    // A client that asked for the end must be told that it comes (RFC 9112, section 9.6), or it sends its next request here.
    if (response.shouldKeepAlive) reply.removeHeader('connection')
    else response.prependOnceListener('finish', () => Object.assign(response, { _last: false }))
  })
}
