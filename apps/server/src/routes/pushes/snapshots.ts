/** Snapshot pushes over HTTP: sessions that take the manifest of a version, then the records it lacks. http-api §9. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Negotiated, NegotiateOpening } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { leaving } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { bytesOf, receiveLargeJson, receiveNdjson } from '../../plugins/requests/bodies.ts'
import { bodyUnchecked, parseShape } from '../../plugins/shapes.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'
import { sessionRoutes } from './sessions.ts'

const root = '/api/collections/:owner/:slug/versions/negotiate'

export const snapshotRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveLargeJson(scope)
    serve(
      scope,
      `POST ${root}`,
      async (request, reply) => {
        const answer = await registry.snapshots.negotiate(
          request.principal,
          request.params,
          bytesOf(request.body),
          (outline) => parseShape(NegotiateOpening, outline),
          leaving(reply),
        )
        if (!('needed_records' in answer) || answer.needed_records.length <= hashesAtOnce) return answer
        reply.type('application/json; charset=utf-8')
        return reply.send(bytesFrom(request, jsonOf(answer)))
      },
      { validatorCompiler: bodyUnchecked },
    )
  })

  await app.register(async (scope) => {
    receiveNdjson(scope)
    serve(scope, `POST ${root}/:id/manifest`, async ({ principal, params: { id, ...path }, body }, reply) =>
      registry.snapshots.manifest(principal, path, id, bytesOf(body), leaving(reply)),
    )

    serve(scope, `POST ${root}/:id/records`, async ({ principal, params: { id, ...path }, body }, reply) =>
      registry.snapshots.receive(principal, path, id, bytesOf(body), leaving(reply)),
    )
  })

  sessionRoutes(app, root, registry.snapshots)
}

/** Hashes written per turn of the event loop: some 10 ms. */
const hashesAtOnce = 10_000

/** Writes a long answer as JSON in pieces: in one piece it would block the event loop. */
async function* jsonOf({ needed_records: hashes, ...rest }: Negotiated): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"needed_records":[`)
  for (let at = 0; at < hashes.length; at += hashesAtOnce) {
    const piece = JSON.stringify(hashes.slice(at, at + hashesAtOnce)).slice(1, -1)
    yield Buffer.from(at === 0 ? piece : `,${piece}`)
    await nextTurn()
  }
  yield Buffer.from(']}\n')
}
