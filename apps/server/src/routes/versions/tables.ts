/** Questions about tables over HTTP. docs/queries.md */
import type { Building, Principal, Registry } from '@ulmus/registry'
import type { Facets, RowsPage, TableStatistics, VersionTable } from '@ulmus/wire'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'
import { textIn } from '../../plugins/shapes.ts'
import type { RouteOptions } from '../options.ts'
import { serve } from '../serve.ts'
import { sendRanged } from './ranged.ts'

/** Seconds after which a caller asks again for a table that is being built. */
const retryAfterSeconds = 1
const byteOrderMark = Buffer.from('\uFEFF')

export const tableRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  const { tables } = registry

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/tables', async (request) => {
    const { principal, params, query } = request
    const { owner, slug, v } = params
    const found = await tables.list(seenAs(principal, query), params)
    const base = `/api/collections/${owner}/${slug}/versions/${encodeURIComponent(v)}/tables`
    const view = query.view === undefined ? '' : `?view=${query.view}`
    const listed = found.map(({ type, records, columns, parquet }) => {
      const url = `${base}/${encodeURIComponent(type)}`
      const state = parquet !== undefined ? 'ready' : tables.isAvailable ? 'on_demand' : 'unavailable'
      return {
        type,
        records,
        columns,
        csv: { url: `${url}.csv${view}` },
        parquet: {
          url: `${url}.parquet${view}`,
          state,
          bytes: parquet?.bytes ?? null,
          sha256: parquet?.sha256 ?? null,
        },
      }
    })
    return textIn<VersionTable[]>(listed)
  })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/tables/:type/rows', async (request, reply) => {
    const { principal, params, query } = request
    const { view: _view, ...text } = query
    return textIn<RowsPage>(answerOf(reply, await tables.rows(seenAs(principal, query), params, text)))
  })

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/tables/:type/facets', async (request, reply) => {
    const { principal, params, query } = request
    const { view: _view, ...text } = query
    return textIn<Facets>(answerOf(reply, await tables.facets(seenAs(principal, query), params, text)))
  })

  serve(
    app,
    'GET /api/collections/:owner/:slug/versions/:v/tables/:type/statistics',
    async (request, reply) => {
      const { principal, params, query } = request
      return textIn<TableStatistics>(
        answerOf(reply, await tables.statistics(seenAs(principal, query), params)),
      )
    },
  )

  serve(app, 'GET /api/collections/:owner/:slug/versions/:v/tables/:type.csv', async (request, reply) => {
    const { principal, params, query } = request
    const { view: _view, bom, ...text } = query
    const csv = await tables.csv(seenAs(principal, query), params, text)
    return sendCsv(registry, request, reply, { ...params, csv, isMarked: bom !== undefined })
  })

  serve(
    app,
    'GET /api/collections/:owner/:slug/versions/:v/tables/:type.parquet',
    async (request, reply) => {
      const { principal, params, query } = request
      const file = await tables.parquet(seenAs(principal, query), params)
      if ('building' in file) return answerOf(reply, file)
      reply.type('application/vnd.apache.parquet')
      reply.header('Content-Disposition', attachment(params, file.semver, 'parquet'))
      return sendRanged(registry, request, reply, file)
    },
    { compress: false },
  )
}

/** The caller in the public view, if the query asks for it. */
export const seenAs = (principal: Principal, { view }: { view?: 'public' | undefined }): Principal =>
  view === undefined || principal.kind === 'anonymous' ? principal : { ...principal, view }

/** The answer, with its status: 202 while the table is being built. */
export function answerOf<T>(reply: FastifyReply, answer: T | Building): T | Building {
  if (typeof answer === 'object' && answer !== null && 'building' in answer)
    reply.code(202).header('Retry-After', retryAfterSeconds).header('Cache-Control', 'no-store')
  return answer
}

interface SentCsv {
  readonly slug: string
  readonly type: string
  readonly csv: Awaited<ReturnType<Registry['tables']['csv']>>
  /** True: begin with a byte order mark. */
  readonly isMarked?: boolean
}

/** Sends rows as CSV, or the progress of their table. */
export function sendCsv(
  { answers }: Pick<Registry, 'answers'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { slug, type, csv, isMarked = false }: SentCsv,
): Building | FastifyReply {
  if ('building' in csv) return answerOf(reply, csv)
  reply.tagBy(isMarked ? `${csv.hash} 1` : csv.hash)
  reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', attachment({ slug, type }, csv.semver, 'csv'))
  const bytes = isMarked ? afterMark(csv.stream()) : csv.stream()
  return reply.send(bytesFrom(request, answers.stream(request.principal, goneOf(reply), 'file', bytes)))
}

/** A file name for browsers. Types have no other characters than these in most collections. */
const attachment = ({ slug, type }: { slug: string; type: string }, semver: string, ending: string): string =>
  `attachment; filename="${slug}-${semver}-${type.replaceAll(/[^\w.-]/g, '_')}.${ending}"`

async function* afterMark(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield byteOrderMark
  yield* source
}
