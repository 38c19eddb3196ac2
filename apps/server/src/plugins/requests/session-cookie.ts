/** The cookie of a signed-in browser. It holds an opaque token and nothing else. http-api §2. */
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface SessionCookie {
  readonly name: string
  /** The token that came with a request. */
  read(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, token: string, expires: Date): void
  clear(reply: FastifyReply): void
}

/**
 * @param https over https the cookie is `Secure`, and its name begins with `__Host-`, which makes browsers refuse one that another
 *   host of the domain, or plain http, tries to plant
 */
export function sessionCookie({ https }: { https: boolean }): SessionCookie {
  const name = https ? '__Host-ulmus_session' : 'ulmus_session'
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: https } as const
  return {
    name,
    read: (request) => request.cookies[name],
    set: (reply, token, expires) => void reply.setCookie(name, token, { ...attributes, expires }),
    clear: (reply) => void reply.clearCookie(name, attributes),
  }
}
