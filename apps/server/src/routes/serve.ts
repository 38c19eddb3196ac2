/** Registers operations as routes: method, path, entrance and shapes come from the wire package, the handler from this app. */
import {
  type AnswerOf,
  type BodyOf,
  type Done,
  type Operation,
  type OperationName,
  operations,
  type ParamsOf,
  type QueryOf,
} from '@ulmus/wire'
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteShorthandOptions,
} from 'fastify'
import { z } from 'zod'

type Handler<N extends OperationName> = (
  request: FastifyRequest & { params: ParamsOf<N>; query: QueryOf<N>; body: BodyOf<N> },
  reply: FastifyReply,
) => Promise<AnswerOf<N> | FastifyReply>

/** Answer without content. */
export const done: Done = { ok: true }

/**
 * Serves an operation of the table. The handler returns the answer; the status is the operation's first success status unless the handler
 * sets another. `app` may have the beginning of the path as its prefix.
 */
export function serve<N extends OperationName>(
  app: FastifyInstance,
  name: N,
  handler: Handler<N>,
  {
    repeated,
    ...options
  }: Pick<RouteShorthandOptions, 'compress' | 'decompress' | 'errorHandler' | 'validatorCompiler'> &
    Pick<FastifyContextConfig, 'repeated'> = {},
): void {
  const operation: Operation = operations[name]
  const { entrance, credentials, limited, names, tagged, params, query, body, answers } = operation
  const [method = '', path = ''] = name.split(' ')
  const shapes = Object.entries(answers).filter(([, answer]) => answer instanceof z.ZodType)
  const [usual] = Object.keys(answers)
  app.route({
    ...options,
    method,
    url: path.slice(app.prefix.length),
    config: { entrance, credentials, limited, names, tagged, repeated },
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body instanceof z.ZodType && { body }),
      response: Object.fromEntries(shapes),
    },
    handler: async (request, reply) => {
      if (usual !== undefined) reply.code(Number(usual))
      return handler(request as Parameters<Handler<N>>[0], reply)
    },
  })
}
