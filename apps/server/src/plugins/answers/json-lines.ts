/** JSON answers end with a newline, so that a terminal shows its prompt on a new line. */
import type { FastifyInstance } from 'fastify'

const newline = 0x0a

/** Call it before the plugins that hash and compress answers. Streams write their own last newline. */
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
