/** Saved questions over HTTP. docs/saved-questions.md */
import { answerRecordsMax, type QuestionAnswer, sqlRowsMax } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { textIn } from '../../plugins/shapes.ts'
import type { RouteOptions } from '../options.ts'
import { done, serve } from '../serve.ts'
import { sendSql } from '../versions/sql.ts'
import { answerOf, seenAs, sendCsv } from '../versions/tables.ts'

export const questionRoutes: FastifyPluginAsync<RouteOptions> = async (app, { registry }) => {
  const { questions, tables } = registry

  serve(app, 'GET /api/collections/:owner/:slug/questions', async ({ principal, params }) =>
    questions.list(principal, params),
  )

  serve(app, 'POST /api/collections/:owner/:slug/questions', async ({ principal, params, body }) =>
    questions.create(principal, params, body),
  )

  serve(app, 'GET /api/collections/:owner/:slug/questions/:question', async ({ principal, params }) =>
    questions.get(principal, params, params.question),
  )

  serve(app, 'PATCH /api/collections/:owner/:slug/questions/:question', async (request) => {
    const { principal, params, body } = request
    return questions.change(principal, params, params.question, body)
  })

  serve(app, 'DELETE /api/collections/:owner/:slug/questions/:question', async ({ principal, params }) => {
    await questions.remove(principal, params, params.question)
    return done
  })

  serve(app, 'GET /api/collections/:owner/:slug/questions/:question/answer', async (request, reply) => {
    const { params, query } = request
    const { format } = query
    const who = seenAs(request.principal, query)
    const question = await questions.resolve(who, params, params.question)
    if (question.query === undefined) {
      const answer = await questions.sql(who, question, { format, limit: sqlRowsMax })
      return sendSql(request, reply, answer, format)
    }
    const { type, ...text } = question.query
    const table = { ...question.path, type }
    if (format === 'csv')
      return sendCsv(registry, request, reply, { ...table, csv: await tables.csv(who, table, text) })
    const rows = await tables.rows(who, table, { ...text, limit: answerRecordsMax })
    return textIn<QuestionAnswer>(answerOf(reply, rows))
  })
}
