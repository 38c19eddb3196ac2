/** Routes of both kinds of push session: commit, state, cancel. http-api §9. */
import type { Registry } from '@ulmus/registry'
import {
  CommitQuery,
  CommittedPush,
  CommittingPush,
  DryRun,
  PushPath,
  PushState,
  PushStateQuery,
} from '@ulmus/wire'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { renderStored } from '../../plugins/answers/errors.ts'
import { leaving } from '../../plugins/answers/leaving.ts'
import * as about from '../descriptions/pushes.ts'

interface SessionRoutes {
  /** Path under which sessions lie. */
  root: string
  tags: string[]
  kind: about.Kind
  service: Pick<Registry['pushes'], 'commit' | 'dryRun' | 'state' | 'cancel'>
}

export function sessionRoutes(scope: FastifyInstance, { root, tags, kind, service }: SessionRoutes): void {
  const app = scope.withTypeProvider<ZodTypeProvider>()
  const config = { entrance: { scope: 'write' } } as const
  const response = { 200: DryRun, 201: CommittedPush, 202: CommittingPush }
  app.post(
    `${root}/:id/commit`,
    {
      config,
      schema: { tags, ...about.commit(kind), params: PushPath, querystring: CommitQuery, response },
    },
    async (request, reply) => {
      const { id, ...path } = request.params
      const { principal, query } = request
      if (query.dry_run) return service.dryRun(principal, path, id, leaving(reply))
      const answer = await service.commit(principal, path, id, query)
      if (answer.kind === 'committed') return reply.code(201).send(answer.result)
      return reply.code(202).send({ session_id: answer.session_id, status: answer.status })
    },
  )

  app.get(
    `${root}/:id`,
    {
      config: { entrance: { scope: 'read' } },
      schema: {
        tags,
        ...about.state(kind),
        params: PushPath,
        querystring: PushStateQuery,
        response: { 200: PushState },
      },
    },
    async (request) => {
      const { id, ...path } = request.params
      const state = await service.state(request.principal, path, id, request.query.files_after)
      return { ...state, error: state.error === null ? null : renderStored(state.error) }
    },
  )

  app.delete(
    `${root}/:id`,
    {
      config,
      schema: { tags, ...about.cancel(kind), params: PushPath, response: { 204: z.null() } },
    },
    async (request, reply) => {
      const { id, ...path } = request.params
      await service.cancel(request.principal, path, id)
      return reply.code(204).send(null)
    },
  )
}
