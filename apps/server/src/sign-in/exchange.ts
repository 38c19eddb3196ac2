/** Exchange of a job's token for a key (RFC 8693). http-api §14. */
import formbody from '@fastify/formbody'
import { type Registry, RegistryError } from '@ulmus/registry'
import { accessTokenType, ExchangeForm } from '@ulmus/wire'
import { statusOf } from '@ulmus/wire/refusals'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { errorBody, noteRefusal } from '../plugins/answers/errors.ts'
import { dataPolicy } from '../plugins/answers/security.ts'
import { serve } from '../routes/serve.ts'

export interface ExchangeOptions {
  readonly registry: Pick<Registry, 'publishing' | 'diskReserve'>
  /** Public address of this server, the audience of all tokens. */
  readonly origin: () => string
}

/** Longest body: a token of 20,000 characters, percent-encoded. Bytes. */
const bodyLimit = 64 * 1024

export const exchangeRoutes: FastifyPluginAsync<ExchangeOptions> = async (app, { registry, origin }) => {
  // Nothing but forms, as the RFC says.
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit })
  app.addHook('onRequest', async (_request, reply) => {
    reply
      .header('Cache-Control', 'no-store')
      .header('Pragma', 'no-cache')
      .header('Content-Security-Policy', dataPolicy)
  })

  serve(
    app,
    'POST /auth/exchange',
    async ({ body, ip }) => {
      const { subject_token: token, audience } = readForm(body)
      await registry.diskReserve.demand(undefined)
      const [owner = '', slug = ''] = audience.split('/')
      const who = { kind: 'anonymous', address: ip } as const
      const made = await registry.publishing.exchange(who, { token, owner, slug }, origin())
      return {
        access_token: made.key,
        issued_token_type: accessTokenType as typeof accessTokenType,
        token_type: 'Bearer' as const,
        expires_in: made.expiresIn,
        scope: made.scope,
      }
    },
    { errorHandler: answerAsOauth },
  )
}

/** @throws invalid_request */
function readForm(body: unknown): ExchangeForm {
  const read = ExchangeForm.safeParse(body ?? {})
  if (read.success) return read.data
  const issues = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new RegistryError('invalid_request', { details: { issues } })
}

/** RFC 6749 §5.2: `error` has the code, where other routes have the sentence. */
function answerAsOauth(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = noteRefusal(error, request, reply)
  const body = { ...errorBody(refusal), error: refusal.code, error_description: refusal.message }
  return reply.code(statusOf(refusal.code)).type('application/json; charset=utf-8').send(JSON.stringify(body))
}
