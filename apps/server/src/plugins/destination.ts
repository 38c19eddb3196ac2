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
