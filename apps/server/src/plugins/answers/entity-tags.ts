/**
 * Entity tags, 304 and cache lifetimes. http-api §1; RFC 9110 §8.8, §13; RFC 9111.
 *
 * A strong tag identifies bytes, so each content encoding has its own: the tag of the uncompressed answer, a dash and the name of the
 * encoding. The compression plugin chooses the encoding, so the tag is completed after it. Answers with and without a credential have
 * different tags, so that a cache never confuses them.
 */
import { createHash, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Cache lifetime of public immutable answers. Short, because a collection may become private. Seconds. */
const publicSeconds = 300

/** Bytes hashed per turn of the event loop. A MiB takes two milliseconds, or five without processor instructions for SHA-256. */
const hashedAtOnce = 1_048_576

/** Hashes long bodies over several turns of the event loop. */
async function hashInTurns(body: string | Buffer): Promise<string> {
  if (typeof body === 'string' || body.length <= hashedAtOnce) return hash('sha256', body)
  const sum = createHash('sha256')
  for (let at = 0; at < body.length; at += hashedAtOnce) {
    await setImmediate()
    sum.update(body.subarray(at, at + hashedAtOnce))
  }
  return sum.digest('hex')
}

/** Call it before compression is registered. */
export function tagAnswers(app: FastifyInstance): void {
  app.decorateReply('tagBasis', null)
  app.decorateReply('tagBy', function (this: FastifyReply, basis: string) {
    this.tagBasis = tagOf(this.request, basis)
    return `"${this.tagBasis}"`
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode >= 300 && reply.statusCode !== 304) reply.tagBasis = null
    else if (isRead(request) && reply.statusCode === 200 && reply.tagBasis === null) {
      const sent =
        typeof payload === 'string' && payload.length > hashedAtOnce ? Buffer.from(payload) : payload
      if (typeof sent === 'string' || Buffer.isBuffer(sent))
        reply.tagBasis = tagOf(request, await hashInTurns(sent))
      sayHowLong(request, reply)
      return sent
    }
    sayHowLong(request, reply)
    return payload
  })
}

/** Call it after compression is registered: hooks of a route run in the order of their registration. */
export function completeTags(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? []]
      .flat()
      .concat(async (request, reply, payload) => complete(request, reply, payload))
  })
}

const isRead = (request: FastifyRequest) => request.method === 'GET' || request.method === 'HEAD'

/** 128 bits of a hash. It differs between callers with and without a credential. */
function tagOf(request: FastifyRequest, basis: string): string {
  const audience = request.principal.kind === 'anonymous' ? 'public' : 'private'
  return hash('sha256', `${audience} ${basis}`).slice(0, 32)
}

function complete(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.tagBasis === null || !isRead(request)) return payload
  const encoding = reply.getHeader('content-encoding')
  const tag = encoding === undefined ? `"${reply.tagBasis}"` : `"${reply.tagBasis}-${encoding}"`
  reply.header('ETag', tag)
  if (!holds(request.headers['if-none-match'], tag) || (reply.statusCode !== 200 && reply.statusCode !== 206))
    return payload
  if (payload instanceof Readable) payload.destroy()
  reply.code(304)
  for (const name of ['content-length', 'content-encoding', 'content-type', 'content-range'])
    reply.removeHeader(name)
  return null
}

/** True if a list of tags (or `*`) contains a tag. RFC 9110 §13.1.2 compares weakly: `W/` does not count. */
export function holds(list: string | undefined, tag: string): boolean {
  if (list === undefined) return false
  if (list.trim() === '*') return true
  return [...list.matchAll(/"[^"]*"/g)].some(([one]) => one === tag)
}

function sayHowLong(request: FastifyRequest, reply: FastifyReply): void {
  if (!reply.hasHeader('vary')) reply.header('Vary', 'Authorization, Cookie, accept-encoding')
  if (reply.hasHeader('cache-control')) return
  if (request.principal.kind !== 'anonymous') reply.header('Cache-Control', 'private, no-cache')
  else if (reply.statusCode < 300 && isRead(request) && neverChanges(request)) {
    reply.header('Cache-Control', `public, max-age=${publicSeconds}`)
  } else reply.header('Cache-Control', 'no-cache')
}

/** True if the URL is immutable: it contains a hash, or only versions other than `latest`. */
function neverChanges(request: FastifyRequest): boolean {
  const { names } = request.routeOptions.config
  if (names !== 'version') return names === 'hash'
  const { v } = request.params as { v?: string }
  const { version, from, since } = request.query as { version?: string; from?: string; since?: string }
  return ![v, version, from, since].some((name) => name === 'latest' || name?.endsWith('@latest'))
}
