/** What is left of a body when its request was answered. */
import type { FastifyInstance } from 'fastify'

/**
 * Reads and drops what nobody took of a body, so that the next request of its connection is reached. Node does so itself, unless the
 * body was given to somebody else, as to what decompresses it: then a request refused early left its connection waiting for ever.
 * Where the body has gone with its failed decompression nobody can read on, and the connection is closed.
 */
export function dropUnreadBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    // What is not encoded Node takes care of.
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
