/** The end of an answer. */
import type { FastifyReply } from 'fastify'

/** Resolves when the answer has been sent, or its connection is closed. */
export const gone = ({ raw }: FastifyReply): Promise<void> =>
  new Promise((resolve) => {
    if (raw.closed) resolve()
    else raw.once('close', resolve)
  })
