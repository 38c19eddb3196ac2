import { expect, test } from 'vitest'
import type { JsonObject } from '../json/json.ts'
import { tableColumns } from './columns.ts'
import { tableValue, utcText } from './table-values.ts'

const time = { type: 'string', format: 'date-time' }
const columnOf = (schema: JsonObject) => tableColumns({ properties: { x: schema } })[1]!

test.each([
  ['2020-05-30T04:57:37+02:00', '2020-05-30T02:57:37Z'],
  ['2020-05-30 04:57:37.120000z', '2020-05-30T04:57:37.12Z'],
  ['2020-05-30T04:57:37.123456789-00:30', '2020-05-30T05:27:37.123456Z'],
  ['0044-03-15T12:00:00Z', '0044-03-15T12:00:00Z'],
  ['2016-12-31T23:59:60Z', undefined],
  ['0001-01-01T00:00:00+01:00', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['0000-01-01T00:00:00Z', undefined],
  ['2023-02-30T00:00:00Z', undefined],
])('the time %s is %s in UTC', (text, utc) => expect(utcText(text, 6)).toBe(utc))

test.each<[JsonObject, unknown, unknown]>([
  [{ type: 'integer' }, 2 ** 63, undefined],
  [{ type: 'integer' }, -(2 ** 63), -(2 ** 63)],
  [{ type: ['string', 'null'] }, null, undefined],
  [
    { type: 'array', items: time },
    ['2016-12-31T23:59:60Z', '2020-01-01T01:00:00+01:00'],
    [null, '2020-01-01T00:00:00Z'],
  ],
  [
    { type: 'object', properties: { at: time, n: { type: 'number' } }, additionalProperties: false },
    { at: '2020-01-01T01:00:00+01:00', n: null },
    { at: '2020-01-01T00:00:00Z' },
  ],
  [
    { type: 'object', properties: { $file: { type: 'string' } }, required: ['$file'] },
    { $file: 'sha256:0', name: 'a' },
    'sha256:0',
  ],
  [{}, { a: null }, { a: null }],
])('a value of %j: %j is %j', (schema, value, stored) =>
  expect(tableValue(columnOf(schema), value as never)).toEqual(stored),
)
