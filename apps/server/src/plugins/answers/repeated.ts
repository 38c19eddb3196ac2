/**
 * Repeats answers to callers without a credential while the database is unchanged. Lists and pages read up to fifty rows and render them,
 * which takes ten times as long as the look-up of the database's state.
 *
 * An answer is stored under the state that was looked up before its handler ran, and sent only while the state is the same, so a
 * collection that became private or was erased is never sent from here. It is stored from the second request within its lifetime on: a
 * crawler would replace what many visitors read by pages that are read once.
 */
import type { Registry } from '@ulmus/registry'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

/** Answers also contain what the database does not: "3 minutes ago", the progress of a table. Milliseconds. */
const lifetimeMilliseconds = 5_000
/** Memory of stored answers. Bytes. */
const storedBytesMax = 4_194_304
/** Answers above this size are not stored. Bytes. */
const answerBytesMax = 262_144
/** Total length of the URLs that are remembered until they are requested again. Characters. */
const requestedCharactersMax = 262_144

interface StoredAnswer {
  readonly state: string
  readonly body: Buffer
  readonly headers: Parameters<FastifyReply['headers']>[0]
  readonly tagBasis: string | null
}

/** Register it after the compression, so that compressed answers are stored, and before `completeTags`. */
export function repeatAnswers(app: FastifyInstance, registry: Pick<Registry, 'databaseState'>): void {
  const ttl = lifetimeMilliseconds
  const requested = new LRUCache<string, true>({
    maxSize: requestedCharactersMax,
    ttl,
    sizeCalculation: (_, key) => key.length,
  })
  const stored = new LRUCache<string, StoredAnswer>({
    maxSize: storedBytesMax,
    ttl,
    sizeCalculation: ({ body }, key) => body.length + key.length + 1_024,
  })
  /** Answers that will be stored, with the state and the headers before their handlers. */
  const pending = new WeakMap<FastifyRequest, Pick<StoredAnswer, 'state' | 'headers'>>()

  async function repeat(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const key = keyOf(request)
    if (key === undefined || !requested.has(key)) return
    const state = await registry.databaseState()
    const found = stored.get(key)
    if (found?.state !== state) {
      pending.set(request, { state, headers: reply.getHeaders() })
      return
    }
    reply.tagBasis = found.tagBasis
    return reply.headers(found.headers).send(found.body)
  }

  async function store(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const key = keyOf(request)
    // Only successful answers: a refusal takes the same statements each time, whether the collection is hidden or absent.
    if (key === undefined || reply.statusCode !== 200 || !isBody(payload)) return payload
    if (payload.length > answerBytesMax || reply.getHeader('cache-control') === 'no-store') return payload
    requested.set(key, true)
    const before = pending.get(request)
    if (before === undefined) return payload
    const added = Object.entries(reply.getHeaders()).filter(([name, value]) => value !== before.headers[name])
    stored.set(key, {
      state: before.state,
      body: Buffer.from(payload),
      headers: Object.fromEntries(added),
      tagBasis: reply.tagBasis,
    })
    return payload
  }

  app.addHook('onRoute', (route) => {
    if (route.config?.repeated !== true || route.method !== 'GET') return
    route.onRequest = [route.onRequest ?? []].flat().concat(repeat)
    route.onSend = [route.onSend ?? []].flat().concat(store)
  })
}

/** `nameCodings` has reduced the header to one coding. Undefined: the answer may be for this caller alone. */
function keyOf({ principal, headers, url }: FastifyRequest): string | undefined {
  if (principal.kind !== 'anonymous' || headers.authorization !== undefined || headers.cookie !== undefined)
    return undefined
  if (headers['x-no-compression'] !== undefined) return undefined
  return `${headers['accept-encoding'] ?? 'identity'} ${url}`
}

const isBody = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
