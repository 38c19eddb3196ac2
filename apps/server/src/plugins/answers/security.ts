/** Security headers: what browsers may do with these answers, and which sites may read them. */
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Headers that pages of other sites may read. */
const exposed = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Record-Count',
  'X-Request-Id',
  'X-Resource',
  'X-Truncated',
]

/** Answers are data: nothing in them runs or loads anything. Pages (sign-in form, API reference) set their own policy. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** @param https true if browsers reach this server over https, so that HSTS is sent */
export async function secureAnswers(app: FastifyInstance, { https }: { https: boolean }): Promise<void> {
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: false,
    // Any site may embed and read what its visitors may read without our cookie; see CORS below.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // For this host alone: other sites of the institution below it may lack https.
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  })
  // Cache Helmet's headers, which never change. Setting them one by one on Node's response validates each again: a fifth of the time of a
  // look-up.
  let said: Parameters<FastifyReply['headers']>[0] | undefined
  app.addHook('onRequest', async (_request, reply) => {
    if (said === undefined) {
      reply.helmet()
      said = { ...reply.raw.getHeaders(), 'Content-Security-Policy': dataPolicy }
    }
    reply.headers(said)
  })
  // Without `credentials`, a browser neither sends our cookie from another site nor lets it read an answer to one.
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: exposed,
    maxAge: 86_400,
    strictPreflight: false,
  })
}
