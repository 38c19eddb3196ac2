/** Example of each refusal, under `components` of the description: its sentence and its members, with the facts of its declaration. */
import type { RefusalCode } from '@ulmus/wire'
import { refusalCodes, refusals, sentenceOf, statusOf } from '@ulmus/wire/refusals'

const place = '#/components/examples/'

/** Examples by code, for answers with several codes. */
export const examplesOf = (codes: readonly RefusalCode[]): Record<string, object> =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `${place}${code}` }]))

/** Examples that a document refers to, by code, in alphabetical order. */
export function examplesIn(document: unknown): Record<string, object> {
  const text = JSON.stringify(document)
  const used = refusalCodes.filter((code) => text.includes(`"${place}${code}"`)).sort()
  return Object.fromEntries(used.map((code) => [code, exampleOf(code)]))
}

function exampleOf(code: RefusalCode): object {
  const { meaning, example: { details = {}, say = {} } = {} } = refusals[code]
  const error = sentenceOf(code, { ...details, ...say })
  return { summary: meaning, value: { error, code, statusCode: statusOf(code), ...details } }
}
