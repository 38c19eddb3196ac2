/** Routes of both kinds of push session: commit, state, cancel. http-api §9. */
import { type Registry, RegistryError } from '@ulmus/registry'
import { asyncDryRun } from '@ulmus/wire'
import type { FastifyInstance } from 'fastify'
import { renderStored } from '../../plugins/answers/errors.ts'
import { leaving } from '../../plugins/answers/leaving.ts'
import { serve } from '../serve.ts'

/** Path of the sessions of one kind. */
type Root = '/api/collections/:owner/:slug/pushes' | '/api/collections/:owner/:slug/versions/negotiate'

/** Registers the routes of one kind of session. */
export function sessionRoutes(
  app: FastifyInstance,
  root: Root,
  service: Pick<Registry['pushes'], 'commit' | 'dryRun' | 'state' | 'cancel'>,
): void {
  serve(
    app,
    `POST ${root}/:id/commit`,
    async ({ principal, params: { id, ...path }, query, body }, reply) => {
      const confirmPublic = body?.confirm_public
      const isAsync = query.async || body?.async === true
      if (query.dry_run && isAsync) {
        const issue = { path: 'dry_run', message: asyncDryRun }
        throw new RegistryError('invalid_request', { details: { issues: [issue] } })
      }
      if (query.dry_run) return service.dryRun(principal, path, id, { confirmPublic, signal: leaving(reply) })
      const answer = await service.commit(principal, path, id, { async: isAsync, confirmPublic })
      reply.code(answer.kind === 'committed' ? 201 : 202)
      if (answer.kind === 'committed') return answer.result
      return { session_id: answer.session_id, status: answer.status }
    },
  )

  serve(app, `GET ${root}/:id`, async ({ principal, params: { id, ...path }, query }) => {
    const state = await service.state(principal, path, id, query.files_after)
    return { ...state, error: state.error === null ? null : renderStored(state.error) }
  })

  serve(app, `DELETE ${root}/:id`, async ({ principal, params: { id, ...path } }) => {
    await service.cancel(principal, path, id)
    return null
  })
}
