/** JSON answers end with a newline: on a terminal the prompt comes below them, and several make NDJSON. */
import type { FastifyInstance } from 'fastify'

const newline = 0x0a

/** Call it before what hashes and compresses answers. Streams end with one by themselves. */
export function endJsonLines(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.hasHeader('content-encoding') || !isJson(reply.getHeader('content-type'))) return payload
    if (typeof payload === 'string') return payload.endsWith('\n') ? payload : `${payload}\n`
    if (Buffer.isBuffer(payload) && payload.at(-1) !== newline)
      return Buffer.concat([payload, Uint8Array.of(newline)])
    return payload
  })
}

const isJson = (type: unknown) => String(type).startsWith('application/json')
