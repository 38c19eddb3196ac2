/** Drains bodies that were not read when their request was answered. */
import type { FastifyInstance } from 'fastify'

/**
 * Reads and drops the rest of a body, so that the next request of its connection is reached. Node does so itself, unless the body
 * was piped elsewhere, as to a decompressor: then an early refusal would leave the connection waiting for ever. After a failed
 * decompression the rest cannot be read, so the connection is closed.
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
