/** Saved questions of collections, and their answers. docs/saved-questions.md */
import type { ChangeQuestion, CreateQuestion, QuestionAnswer } from '@ulmus/wire'
import { call, requestOf } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import { ask, open, type TableOptions } from './tables.ts'
import type { Transport } from './transport.ts'

export const questionCalls = (transport: Transport) => {
  const answerTo = (
    ref: CollectionRef,
    question: string,
    format: 'json' | 'csv',
    view: TableOptions['view'],
  ) =>
    requestOf(
      'GET /api/collections/:owner/:slug/questions/:question/answer',
      { ...partsOf(ref), question },
      { query: { format, view } },
    )
  return {
    /** By slug: all for members, the public ones for others. */
    list: async (ref: CollectionRef) =>
      call(transport, 'GET /api/collections/:owner/:slug/questions', partsOf(ref)),
    /** @throws question_not_found */
    get: async (ref: CollectionRef, question: string) =>
      call(transport, 'GET /api/collections/:owner/:slug/questions/:question', {
        ...partsOf(ref),
        question,
      }),
    /** Saves a statement, or a query about a type. @throws too_many_questions, question_not_public, unknown_field, invalid_sql */
    save: async (ref: CollectionRef, question: CreateQuestion) =>
      call(transport, 'POST /api/collections/:owner/:slug/questions', partsOf(ref), { json: question }),
    /** @throws question_not_found, and as `save` */
    change: async (ref: CollectionRef, question: string, changes: ChangeQuestion) =>
      call(
        transport,
        'PATCH /api/collections/:owner/:slug/questions/:question',
        { ...partsOf(ref), question },
        { json: changes },
      ),
    /** @throws question_not_found */
    remove: async (ref: CollectionRef, question: string) =>
      call(transport, 'DELETE /api/collections/:owner/:slug/questions/:question', {
        ...partsOf(ref),
        question,
      }),
    /** Rows of a statement (10,000, 16 MiB), or the first 1,000 records of a query. @throws question_not_found, invalid_sql */
    answer: async (ref: CollectionRef, question: string, options: TableOptions = {}) =>
      ask<QuestionAnswer>(transport, answerTo(ref, question, 'json', options.view), options),
    /** The answer as CSV: all records of a query. The body is not buffered. @throws as `answer` */
    csv: async (ref: CollectionRef, question: string, options: TableOptions = {}) =>
      open(transport, answerTo(ref, question, 'csv', options.view), options),
  }
}
