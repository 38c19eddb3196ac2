/** Snapshot pushes over HTTP. http-api §9. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  CollectionPath,
  exampleManifest,
  exampleSnapshotRecords,
  ManifestEntry,
  ManifestReceived,
  Negotiate,
  Negotiated,
  NegotiatedInChunks,
  NegotiateOpening,
  NoQuery,
  PushPath,
  RecordLine,
  SnapshotReceived,
} from '@ulmus/wire'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { linesOf } from '../../openapi/routes.ts'
import { leaving } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { bytesOf, receiveLargeJson, receiveNdjson } from '../../plugins/requests/bodies.ts'
import { bodyUnchecked, parseShape } from '../../plugins/shapes.ts'
import { snapshot } from '../descriptions/pushes.ts'
import * as about from '../descriptions/snapshots.ts'
import type { RouteOptions } from '../options.ts'
import { sessionRoutes } from './sessions.ts'

const tags = ['snapshots']
const config = { entrance: { scope: 'write' } } as const
const root = '/collections/:owner/:slug/versions/negotiate'

const manifestBody = linesOf(
  ManifestEntry,
  'An entry of the manifest on each line.',
  exampleManifest.slice(2),
)
const recordsBody = linesOf(
  RecordLine,
  'A record that the manifest names on each line.',
  exampleSnapshotRecords,
)

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
          ...about.negotiate,
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
    scope.post(
      `${root}/:id/manifest`,
      {
        config,
        schema: {
          tags,
          ...about.sendManifest,
          streamedBody: manifestBody,
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
          ...about.sendSnapshotRecords,
          streamedBody: recordsBody,
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

  sessionRoutes(app, { root, tags, kind: snapshot, service: registry.snapshots })
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
