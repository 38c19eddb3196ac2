/** The door to the memory for answers: who asks, and when the answer is gone. What it holds is counted where it is read. */
import type { Registry } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'
import { goneOf } from './leaving.ts'

const reading: ReadonlySet<unknown> = new Set(['GET', 'HEAD'])

/** Counts, for every route of the scope that reads, what its handler puts together. It throws busy when that does not fit. */
export function countAnswers(scope: FastifyInstance, answers: Registry['answers']): void {
  scope.addHook('onRoute', (route) => {
    if (![route.method].flat().every((method) => reading.has(method))) return
    const { handler } = route
    route.handler = function (request, reply) {
      return answers.whole(request.principal, goneOf(reply), async () => handler.call(this, request, reply))
    }
  })
}
