import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ErrorBody } from '../errors.ts'
import { refusalCodes, refusals, sentenceOf, statusOf } from './index.ts'

const sources = globSync('*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] }).map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)

test('every code is declared once, and all declarations are listed', () => {
  const declared = sources.flatMap((text) =>
    Array.from(text.matchAll(/^ {2}([a-z_]+): \{\n {4}kind: /gm), ([, code]) => code!),
  )
  expect(declared.length).toBeGreaterThan(90)
  expect(declared.sort()).toEqual([...refusalCodes].sort())
})

test.each(refusalCodes)('the example of %s has a whole sentence, and members of the error body', (code) => {
  const { example: { details = {}, say = {} } = {}, members } = refusals[code]
  const error = sentenceOf(code, { ...details, ...say })
  expect(error).toMatch(/^[A-Z`"\d][\s\S]*[.?`]$/)
  expect(error).not.toMatch(/undefined|null|NaN|\[object/)
  const body = { error, code, statusCode: statusOf(code), ...details }
  expect(ErrorBody.parse(body)).toEqual(body)
  expect(members === undefined ? details : {}).toEqual({})
})

test.each(refusalCodes)('the texts of %s are a clause and sentences', (code) => {
  const { meaning, explanation = 'The meaning.', remedy } = refusals[code]
  expect(meaning).toMatch(/^[a-z`][^\n]*[^.]$/)
  for (const paragraph of [explanation].flat()) expect(paragraph).toMatch(/[.:)|]$/)
  expect(remedy).toMatch(/^[A-Z`][\s\S]*[.)]$/)
})

test('a member names the codes that have it, for each of its meanings', () => {
  const { type, validationErrors } = ErrorBody.shape
  expect(type.description).toBe(
    '`unexpected_record`, `manifest_conflict`: type of the record. `invalid_schema`: the type.',
  )
  expect(validationErrors.description).toBe('`invalid_records`, `schema_violation`: the first 100.')
  expect(ErrorBody.parse({ error: 'No.', code: 'another', statusCode: 400, further: 1 })).toMatchObject({
    further: 1,
  })
})
