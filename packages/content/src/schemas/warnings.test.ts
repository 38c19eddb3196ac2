import { expect, test } from 'vitest'
import type { Json } from '../json/json.ts'
import { eachId, malformedFileReferences, referenceFieldsOf } from '../records/references.ts'
import { cpuMilliseconds } from '../testing/runs.ts'
import { schemaWarnings } from './warnings.ts'

const types = ['City', 'Country']
const told = (schema: Json) =>
  [...schemaWarnings(schema, (type) => types.includes(type))].map(({ code, path }) => [code, path])

test.each<[string, Json, string[][]]>([
  ['a schema in order', { type: 'object', properties: { a: { type: 'string', format: 'date' } } }, []],
  ['no object', true, []],
  ['a misspelt keyword', { propertys: { a: {} } }, [['keyword_unknown', '/propertys']]],
  [
    'other capitals and hyphens',
    { properties: { a: { maxlength: 3, 'min-length': 1 } } },
    [
      ['keyword_unknown', '/properties/a/maxlength'],
      ['keyword_unknown', '/properties/a/min-length'],
    ],
  ],
  [
    'a letter less',
    { requird: ['a'], items: { enums: [] } },
    [
      ['keyword_unknown', '/requird'],
      ['keyword_unknown', '/items/enums'],
    ],
  ],
  [
    'a misspelt x-ref-type',
    { properties: { a: { 'x-ref_type': 'City' } } },
    [['keyword_unknown', '/properties/a/x-ref_type']],
  ],
  [
    'what is meant for private',
    { properties: { a: { priavte: true, privat: true } } },
    [
      ['keyword_unknown', '/properties/a/priavte'],
      ['keyword_unknown', '/properties/a/privat'],
    ],
  ],
  ['keywords that are like none', { unit: 'km', note: 1, 'x-order': 2, ui: {}, label: 'x', name: 'x' }, []],
  ['keywords of OpenAPI', { example: 1, nullable: true, externalDocs: {} }, []],
  ['members named as keywords are misspelt', { properties: { titel: { type: 'string' }, requird: {} } }, []],
  ['data', { default: { propertys: 1 }, enum: [{ requird: 1 }], const: { formatt: 2 } }, []],
  ['what JSON Schema does not define', { custom: { propertys: 1, format: 'nonsense' } }, []],
  [
    'an unknown format',
    { properties: { a: { format: 'data' } } },
    [['format_unknown', '/properties/a/format']],
  ],
  [
    'a type that is not there',
    { properties: { a: { 'x-ref-type': 'Town' } } },
    [['reference_type_missing', '/properties/a/x-ref-type']],
  ],
  ['one that is', { properties: { a: { 'x-ref-type': 'Country' } } }, []],
  [
    'a list of types',
    { properties: { a: { 'x-ref-type': ['City'] } } },
    [['reference_type_missing', '/properties/a/x-ref-type']],
  ],
  ['an older draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, [['draft_unknown', '/$schema']]],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#' }, []],
  ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, []],
])('warnings of %s', (_, schema, expected) => {
  expect(told(schema)).toEqual(expected)
})

test('a likeness is named', () => {
  const [warning] = schemaWarnings({ requird: [] }, () => true)
  expect(warning!.message).toBe('has no effect: "required" may be meant')
})

test('a schema of a quarter of a MiB of unknown keywords is done in a second', () => {
  const keywords = Array.from({ length: 15_000 }, (_, i) => [`keyword${i}`, 1])
  const start = cpuMilliseconds()
  expect(told(Object.fromEntries(keywords))).toEqual([])
  expect(cpuMilliseconds() - start).toBeLessThan(1_000)
})

test('ids in fields with x-ref-type: members, items, and items of members', () => {
  const schema = {
    properties: {
      country: { 'x-ref-type': 'Country' },
      twins: { items: { 'x-ref-type': 'City' } },
      seats: { items: { properties: { 'a/b': { 'x-ref-type': 'City' } } } },
      plain: { type: 'string' },
    },
  }
  const data = {
    country: 'FR',
    twins: ['rome', 3, null, 'bonn'],
    seats: [{ 'a/b': 'x' }, 'none'],
    plain: 'y',
  }
  const foundIn = (value: Json) => {
    const found: string[][] = []
    for (const field of referenceFieldsOf(schema))
      eachId(value, field, (id, path) => void found.push([field.type, path(), id]))
    return found
  }
  expect(foundIn(data)).toEqual([
    ['Country', '/country', 'FR'],
    ['City', '/twins/0', 'rome'],
    ['City', '/twins/3', 'bonn'],
    ['City', '/seats/0/a~1b', 'x'],
  ])
  for (const other of [null, 'x', [], { country: ['FR'] }, { twins: {} }, { __proto__: { country: 'FR' } }])
    expect(foundIn(other as Json)).toEqual([])
})

test('of very many such fields the first 100 are looked at', () => {
  const names = Array.from({ length: 5_000 }, (_, i) => [`f${i}`, { 'x-ref-type': 'City' }])
  expect(referenceFieldsOf({ properties: Object.fromEntries(names) })).toHaveLength(100)
})

test('`$file` that names no file', () => {
  const file = `sha256:${'a'.repeat(64)}`
  const of = (data: Json) => [...malformedFileReferences(data)].map(({ path }) => path)
  expect(of({ a: { $file: file }, b: [{ $file: file, $note: { $file: 1 } }] })).toEqual([])
  expect(of({ a: { $file: 'md5:1' }, b: [{ $file: null }], $file: file.toUpperCase() })).toEqual([
    '/$file',
    '/a/$file',
    '/b/0/$file',
  ])
})
