/** Session cookie, an opaque token, and protection against cross-site requests. http-api §1, §2. */

import { RegistryError } from '@ulmus/registry'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface SessionCookie {
  readonly name: string
  /** The token of a request. */
  read(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, token: string, expires: Date): void
  clear(reply: FastifyReply): void
}

/**
 * @param https over https the cookie is `Secure`, and its name begins with `__Host-`: browsers then refuse a cookie that another host of
 *   the domain, or plain http, tries to plant
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

const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Accepts reads, and writes from pages of this site. Browsers send the origin of a request in `Sec-Fetch-Site`, which no page can forge,
 * older ones in `Origin`. Refuses a write with neither header: its sender can use an API key.
 * @param origin of this site, as `https://registry.example`
 * @throws cross_site
 */
export function demandSameSite(request: FastifyRequest, origin: string): void {
  if (reads.has(request.method)) return
  const site = request.headers['sec-fetch-site']
  const from = request.headers.origin
  // Also accept the host that the browser used: it sends the session cookie to no other host.
  const own = from === origin || from === `${request.protocol}://${request.host}`
  if (site === undefined ? own : site === 'same-origin' && (from === undefined || own)) return
  throw new RegistryError('cross_site')
}
