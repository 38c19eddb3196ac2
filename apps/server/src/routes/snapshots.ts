/** Snapshot pushes over HTTP. http-api §9. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  CollectionPath,
  ManifestReceived,
  Negotiate,
  Negotiated,
  NegotiatedInChunks,
  NegotiateOpening,
  NoQuery,
  PushPath,
  SnapshotReceived,
} from '@ulmus/wire'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { bytesOf, receiveLargeJson, receiveNdjson } from '../plugins/bodies.ts'
import { leaving } from '../plugins/destination.ts'
import { bodyUnchecked, parseShape } from '../plugins/shapes.ts'
import { bytesFrom } from '../plugins/streams.ts'
import type { RouteOptions } from './index.ts'
import { sessionRoutes } from './push-sessions.ts'

const tags = ['snapshots']
const config = { entrance: { scope: 'write' } } as const
const root = '/collections/:owner/:slug/versions/negotiate'

export const snapshotRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  await app.register(async (scope) => {
    receiveLargeJson(scope)
    scope.post(
      root,
      {
        config,
        validatorCompiler: bodyUnchecked,
        schema: {
          tags,
          summary: 'Open a snapshot by its manifest',
          params: CollectionPath,
          querystring: NoQuery,
          body: Negotiate,
          response: { 200: z.union([Negotiated, NegotiatedInChunks]) },
        },
      },
      async (request, reply) => {
        const answer = await registry.snapshots.negotiate(
          request.principal,
          request.params as CollectionPath,
          bytesOf(request.body),
          (outline) => parseShape(NegotiateOpening, outline),
          leaving(reply),
        )
        if (!('needed_records' in answer) || answer.needed_records.length <= hashesAtOnce) return answer
        const streamed: FastifyReply = reply
        return streamed.type('application/json; charset=utf-8').send(bytesFrom(request, jsonOf(answer)))
      },
    )
  })

  await app.register(async (scope) => {
    receiveNdjson(scope)
    const consumes = ['application/x-ndjson']
    scope.post(
      `${root}/:id/manifest`,
      {
        config,
        schema: {
          tags,
          summary: 'Send a chunk of the manifest',
          description: 'NDJSON, at most 50,000 lines, each a `ManifestEntry`. Sending one again is harmless.',
          consumes,
          params: PushPath,
          querystring: NoQuery,
          response: { 200: ManifestReceived },
        },
      },
      async (request, reply) => {
        const { id, ...path } = request.params as PushPath
        const { principal, body } = request
        return registry.snapshots.manifest(principal, path, id, bytesOf(body), leaving(reply))
      },
    )

    scope.post(
      `${root}/:id/records`,
      {
        config,
        schema: {
          tags,
          summary: 'Send records that the base version lacks',
          description: 'NDJSON, all lines taken or none, each a `RecordLine` whose hash the manifest names.',
          consumes,
          params: PushPath,
          querystring: NoQuery,
          response: { 200: SnapshotReceived },
        },
      },
      async (request, reply) => {
        const { id, ...path } = request.params as PushPath
        const { principal, body } = request
        return registry.snapshots.receive(principal, path, id, bytesOf(body), leaving(reply))
      },
    )
  })

  sessionRoutes(app, { root, tags, service: registry.snapshots })
}

/** Hashes written without a pause: some 10 ms of work. */
const hashesAtOnce = 10_000

/** A long answer as JSON, in pieces: as one text it would hold everybody else up for as long as it takes to write. */
async function* jsonOf({ needed_records: hashes, ...rest }: Negotiated): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"needed_records":[`)
  for (let at = 0; at < hashes.length; at += hashesAtOnce) {
    const piece = JSON.stringify(hashes.slice(at, at + hashesAtOnce)).slice(1, -1)
    yield Buffer.from(at === 0 ? piece : `,${piece}`)
    await nextTurn()
  }
  yield Buffer.from(']}\n')
}
