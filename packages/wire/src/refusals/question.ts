/** Refusals of saved questions. */
import type { Refusal } from './refusal.ts'

export const questionRefusals = {
  question_not_found: {
    kind: 'missing',
    sentence: (f) => `The collection has no saved question ${f.question}.`,
    meaning: 'the collection has no saved question with this slug that the caller may see',
    remedy: 'List `…/questions`.',
    example: { say: { question: '"countries-by-name"' } },
  },
  question_not_public: {
    kind: 'unacceptable',
    sentence: (f) =>
      `Only members and collaborators can ask this, because it needs private data. To the public: ${f.reason} Leave the private part out, or save it for members.`,
    meaning: 'a question that shall be public names data that only members and collaborators see',
    explanation:
      'A public question is tried as an outsider before it is saved, since its text shows the names of the columns and types that it uses.',
    remedy: 'Leave the private columns and types out, or save the question with `"public": false`.',
    example: { say: { reason: 'There is no field "salary".' } },
  },
  too_many_questions: {
    kind: 'conflict',
    sentence: (f) => `The collection has ${f.max} saved questions, the maximum. Remove one first.`,
    meaning: 'the collection has 200 saved questions',
    remedy: 'Remove one that is not needed.',
    example: { say: { max: 200 } },
  },
} satisfies Readonly<Record<string, Refusal>>
