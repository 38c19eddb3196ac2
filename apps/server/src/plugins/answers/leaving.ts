/** End of an answer: sent, or its connection closed. */
import type { FastifyReply } from 'fastify'

/** Resolves when the answer has been sent, or its connection closed. */
export const goneOf = ({ raw }: FastifyReply): Promise<void> =>
  new Promise((resolve) => {
    if (raw.closed) resolve()
    else raw.once('close', resolve)
  })

/** Aborts when the connection closes before the answer was sent. Fastify's own signal also aborts when the body has been read to its end. */
export function leaving({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const close = () => {
    if (!raw.writableFinished) controller.abort()
  }
  if (raw.closed) close()
  else raw.once('close', close)
  return controller.signal
}
