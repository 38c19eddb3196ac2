/**
 * Request bodies: strict JSON everywhere, other types only in the scopes of routes that accept them, and the rest of bodies that were
 * not read.
 */
import { Readable } from 'node:stream'
import { parseStrict, RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cutLateBodies } from './slow-peers.ts'

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
}

/** An unread body; a missing one is empty. */
export const bytesOf = (body: unknown): AsyncIterable<Uint8Array> =>
  (body ?? Readable.from([])) as AsyncIterable<Uint8Array>

/**
 * Reads and drops the rest of a body, so that the next request of the connection can be parsed. Node does so itself, unless the body was
 * piped elsewhere, as to a decompressor: then an early refusal would block the connection for ever. After a failed decompression the rest
 * cannot be read, so the connection is closed.
 */
export function dropUnreadBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    // Node drains unencoded bodies.
    if (raw.headers['content-encoding'] === undefined) return
    const { socket } = raw
    reply.raw.once('finish', () => {
      const close = () => {
        if (!raw.readableEnded) socket.destroySoon()
      }
      if (raw.destroyed) close()
      else {
        raw.once('close', close)
        raw.unpipe()
        raw.resume()
      }
    })
  })
}
