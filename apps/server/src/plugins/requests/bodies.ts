/** How bodies are read. JSON strictly, everywhere; other kinds only in the scopes of routes that take them. */
import { Readable } from 'node:stream'
import { parseStrict, RegistryError } from '@ulmus/registry'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cutLateBodies } from './slow-peers.ts'

/** A JSON body, unless its route says otherwise by `bodyLimit`: reading one holds everybody up, 40 ms a MiB. Bytes. */
export const jsonBytesMax = 256 * 1024

/** Content types of NDJSON; none is registered. */
export const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/**
 * JSON by the input rules of content-model §2: a duplicate key, an integer that a double cannot hold, a lone surrogate and the
 * like are refused, not repaired. No body at all is let through, for routes that need none.
 */
export function readStrictJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => (body.length === 0 ? undefined : parseStrict(body)),
  )
}

/** In the scope of routes that take NDJSON: `request.body` is the stream, not read yet and not limited. */
export function receiveNdjson(scope: FastifyInstance): void {
  cutLateBodies(scope)
  // JSON too is the wrong content type here.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    ndjsonTypes,
    async (_request: FastifyRequest, stream: FastifyRequest['raw']) => stream,
  )
}

/**
 * In the scope of routes that take raw bytes of any type, JSON included: `request.body` is the stream, not read yet and not limited.
 * The sent bytes are stored as they are, so no content encoding is undone: 241 bytes of zstd can stand for 300 MiB. Such routes
 * also say `decompress: false`.
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

/** In the scope of routes that take JSON too large to be read here: `request.body` is the stream, not read yet and not limited. */
export function receiveLargeJson(scope: FastifyInstance): void {
  cutLateBodies(scope)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    async (_request: FastifyRequest, stream: FastifyRequest['raw']) => stream,
  )
}

/** A body that was not read yet; none at all is an empty one. */
export const bytesOf = (body: unknown): AsyncIterable<Uint8Array> =>
  (body ?? Readable.from([])) as AsyncIterable<Uint8Array>
