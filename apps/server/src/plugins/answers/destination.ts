/** Where an answer goes, and when it has gone there. */
import type { Destination } from '@ulmus/registry'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The answer is gone when it has been sent, or its connection is closed. */
export const destinationOf = (request: FastifyRequest, { raw }: FastifyReply): Destination => ({
  address: request.ip,
  gone: new Promise((resolve) => {
    if (raw.closed) resolve()
    else raw.once('close', resolve)
  }),
})

/** Aborts when the connection is closed before the answer was sent. Fastify's own does when a body was read to its end. */
export function leaving({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const close = () => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) close()
  else raw.once('close', close)
  return controller.signal
}
