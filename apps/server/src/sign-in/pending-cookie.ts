/**
 * State of a pending sign-in, in a signed cookie that lasts ten minutes, so that any server can handle the return. The signature proves
 * that this site started the sign-in, the cookie that this browser did.
 */
import { hkdfSync } from 'node:crypto'
import fastifyCookie from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Pending {
  readonly state: string
  readonly nonce: string
  /** PKCE, RFC 7636 §4.1. */
  readonly verifier: string
  readonly returnTo: string
}

export interface PendingCookie {
  set(reply: FastifyReply, pending: Pending): void
  /** Returns and clears the pending sign-in, so that it can be used once; or why there is none. */
  take(request: FastifyRequest, reply: FastifyReply): Pending | NoPending
}

/** No cookie; one that another secret signed, or none of this site; one that is too old. */
export type NoPending = 'absent' | 'forged' | 'late'

/** Lifetime of the cookie. Seconds. */
const secondsMax = 600

/** @param secret shared by all servers of this site: the client secret at the identity provider */
export function pendingCookie(secret: string, { https }: { https: boolean }): PendingCookie {
  const name = https ? '__Host-ulmus_sign_in' : 'ulmus_sign_in'
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: https } as const
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'ulmus sign-in cookie', 32))
  const signer = new fastifyCookie.Signer(key, 'sha256')
  return {
    set(reply, pending) {
      const text = JSON.stringify({ ...pending, begun: Date.now() })
      const value = signer.sign(Buffer.from(text).toString('base64url'))
      reply.setCookie(name, value, { ...attributes, maxAge: secondsMax })
    },
    take(request, reply) {
      const cookie = request.cookies[name]
      if (cookie === undefined) return 'absent'
      reply.clearCookie(name, attributes)
      const { valid, value } = signer.unsign(cookie)
      if (!valid || value === null) return 'forged'
      const { begun, ...pending } = JSON.parse(Buffer.from(value, 'base64url').toString()) as Pending & {
        begun: number
      }
      return Date.now() - begun <= secondsMax * 1000 ? pending : 'late'
    },
  }
}
