/** How bodies are read. JSON strictly, everywhere; other kinds only in the scopes of routes that take them. */
import { parseStrict } from '@ulmus/registry'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A JSON body, unless its route says otherwise by `bodyLimit`: reading one holds everybody up, 40 ms a MiB. Bytes. */
export const jsonBytesMax = 256 * 1024

/** What NDJSON is called; none of the names is registered. */
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

/** Silence in the middle of an answer after which whoever takes it counts as gone. Seconds. */
export const stallSecondsMax = 60

/** What a body must go on by in so many seconds: 270 bytes a second, about what other servers demand. */
export const slowestBody = { bytes: 16 * 1024, seconds: 60 }

/** A body that is gathered in memory, from its request's headers to its last byte; by then its push session may have expired. Seconds. */
export const gatheredSecondsMax = 3_600

/**
 * Cuts the connection of whoever began a body and does not go on with it, or so slowly that it could be held open for days: half a
 * request holds nothing for ever.
 */
export function cutSlowBodies(app: FastifyInstance, slowest = slowestBody): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!hasBodyToCome(raw)) return
    let received = raw.socket.bytesRead
    const check = () => {
      const now = raw.socket.bytesRead
      // For what lies here the server has not had the time.
      if (now - received < slowest.bytes && raw.readableLength === 0) raw.destroy()
      received = now
    }
    const checking = setInterval(check, slowest.seconds * 1000)
    // From its last byte on, the time is the handler's.
    onceReceived(raw, () => clearInterval(checking))
  })
}

/** In the scope of routes whose bodies are gathered in memory: cuts the connection of whoever takes too long over one, however steadily. */
export function cutLateBodies(scope: FastifyInstance, seconds = gatheredSecondsMax): void {
  scope.addHook('onRequest', async ({ raw }) => {
    if (!hasBodyToCome(raw)) return
    const end = setTimeout(() => raw.destroy(), seconds * 1000)
    onceReceived(raw, () => clearTimeout(end))
  })
}

type RawRequest = FastifyRequest['raw']

function hasBodyToCome({ headers, readableEnded }: RawRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return !readableEnded && (coding !== undefined || (length !== undefined && length !== '0'))
}

function onceReceived(raw: RawRequest, then: () => void): void {
  raw.once('end', then)
  raw.once('close', then)
}

/** Cuts the connection of whoever takes nothing more of an answer: until then it holds what was read for it. */
export function cutStalledAnswers(app: FastifyInstance, seconds = stallSecondsMax): void {
  app.addHook('onSend', async (_request, { raw }) => {
    raw.setTimeout(seconds * 1000, () => raw.destroy())
  })
}

/** In the scope of routes that take NDJSON: `request.body` is the stream, not read yet and not limited. */
export function receiveNdjson(scope: FastifyInstance): void {
  cutLateBodies(scope)
  // JSON too is the wrong content type here.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(ndjsonTypes, async (_request: FastifyRequest, stream: RawRequest) => stream)
}

/** In the scope of routes that take raw bytes of any type, JSON included: `request.body` is the stream, not read yet and not limited. */
export function receiveBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (_request: FastifyRequest, stream: RawRequest) => stream)
}

/** In the scope of routes that take JSON too large to be read here: `request.body` is the stream, not read yet and not limited. */
export function receiveLargeJson(scope: FastifyInstance): void {
  cutLateBodies(scope)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    async (_request: FastifyRequest, stream: RawRequest) => stream,
  )
}
