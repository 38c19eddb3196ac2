/** Operations on saved questions. docs/saved-questions.md */
import { z } from 'zod'
import { NoQuery } from '../lists.ts'
import { bytesOf, operation } from '../operation.ts'
import { CollectionPath } from '../paths.ts'
import {
  ChangeQuestion,
  CreateQuestion,
  QuestionAnswer,
  QuestionAnswerQuery,
  QuestionPath,
  SavedQuestion,
} from '../questions.ts'
import { TableBuilding } from '../tables.ts'
import { Done } from '../text.ts'
import { reading } from './versions.ts'

const entrance = { scope: 'write' } as const
const asking = [
  'question_not_public',
  'unknown_field',
  'invalid_sql',
  'type_not_found',
  ...reading,
  'sql_unavailable',
  'tables_unavailable',
  'query_too_costly',
] as const

export const questionOperations = {
  'GET /api/collections/:owner/:slug/questions': operation({
    id: 'listQuestions',
    tag: 'questions',
    summary: 'List saved questions',
    description:
      'Lists the saved questions of a collection by slug. Members of its owner and collaborators see all, other readers the public ones.',
    params: CollectionPath,
    query: NoQuery,
    answers: { 200: z.array(SavedQuestion) },
    answerWords: { 200: 'At most 200 questions.' },
  }),
  'POST /api/collections/:owner/:slug/questions': operation({
    id: 'saveQuestion',
    tag: 'questions',
    summary: 'Save a question',
    description:
      'Saves a query or a statement about a collection by name. A public question is tried as an outsider: one that needs private data is refused, since its text would show names that outsiders must not read. A collection can have 200.',
    entrance,
    params: CollectionPath,
    body: CreateQuestion,
    answers: { 201: SavedQuestion },
    refusals: ['too_many_questions', ...asking],
  }),
  'GET /api/collections/:owner/:slug/questions/:question': operation({
    id: 'getQuestion',
    tag: 'questions',
    summary: 'Get a saved question',
    description:
      'Returns a saved question, with the version that it asks now, and the one since which its answer is the same. `…/answer` answers it.',
    params: QuestionPath,
    query: NoQuery,
    answers: { 200: SavedQuestion },
    refusals: ['question_not_found'],
  }),
  'PATCH /api/collections/:owner/:slug/questions/:question': operation({
    id: 'changeQuestion',
    tag: 'questions',
    summary: 'Change a saved question',
    description:
      'Changes a saved question; omitted fields stay as they are, and so does its slug. A public question is tried as in `POST …/questions`.',
    entrance,
    params: QuestionPath,
    body: ChangeQuestion,
    answers: { 200: SavedQuestion },
    refusals: ['question_not_found', ...asking],
  }),
  'DELETE /api/collections/:owner/:slug/questions/:question': operation({
    id: 'removeQuestion',
    tag: 'questions',
    summary: 'Remove a saved question',
    description: 'Removes a saved question. Its slug can be used again.',
    entrance,
    params: QuestionPath,
    answers: { 200: Done },
    refusals: ['question_not_found'],
  }),
  'GET /api/collections/:owner/:slug/questions/:question/answer': operation({
    id: 'answerQuestion',
    tag: 'questions',
    summary: 'Answer a saved question',
    description:
      'Answers a saved question about its version, in the view of the caller. Readers without a credential get the answer of a public statement, too, which is computed once for each version. An answer that needs longer than 2 seconds for its table is 202.',
    params: QuestionPath,
    query: QuestionAnswerQuery,
    answers: { 200: QuestionAnswer, 202: TableBuilding },
    otherForms: bytesOf('text/csv', 'Rows as CSV, with a header.').content,
    refusals: ['question_not_found', ...asking.filter((code) => code !== 'question_not_public')],
  }),
}
