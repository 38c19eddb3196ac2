/** Questions in SQL over HTTP. docs/queries.md#sql */
import { Readable } from 'node:stream'
import type { Building, SqlText } from '@ulmus/registry'
import type { SqlAnswer, SqlQuestion } from '@ulmus/wire'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'
import { answerOf, seenAs } from './tables.ts'

export const sqlRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry: { tables, answers } }) => {
  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/sql', async (request, reply) => {
    const { principal, params, query } = request
    const format = query.format ?? formatFor(request)
    const answer = await tables.sql(seenAs(principal, query), params, { ...query, format })
    return sendSql(request, reply, answer, format)
  })

  serve(app, 'POST /api/collections/:owner/:slug/versions/:v/sql', async (request, reply) => {
    const { principal, params, body } = request
    const format = body.format ?? formatFor(request)
    // Answers of other methods are counted for every route.
    return answers.whole(principal, goneOf(reply), async () =>
      sendSql(request, reply, await tables.sql(principal, params, { ...body, format }), format),
    )
  })
}

type Format = NonNullable<SqlQuestion['format']>
const contentTypes: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}

function formatFor({ headers }: FastifyRequest): Format {
  const accepted = headers.accept ?? ''
  if (accepted.includes('text/csv')) return 'csv'
  if (accepted.includes(contentTypes.parquet)) return 'parquet'
  return /application\/(x-)?ndjson/.test(accepted) ? 'ndjson' : 'json'
}

/** Sends the answer to a statement in its format. */
export function sendSql(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: SqlText | Building,
  format: Format,
): SqlAnswer | Building | FastifyReply {
  if ('building' in answer) return answerOf(reply, answer)
  reply.header('Vary', 'Accept, Authorization, Cookie, accept-encoding').type(contentTypes[format])
  if (answer.truncated) reply.header('X-Truncated', 'true')
  if (format === 'parquet') reply.header('Content-Disposition', 'attachment; filename="answer.parquet"')
  const encoding = format === 'parquet' ? 'base64' : 'utf8'
  return reply.send(bytesFrom(request, Readable.from(encoded(answer.pieces, encoding))))
}

/** Bytes of each piece as it is sent: an answer may have 16 MiB. */
function* encoded(pieces: readonly string[], encoding: 'base64' | 'utf8'): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece, encoding)
}
