import { expect, test } from 'vitest'
import { fieldsOf } from '../schemas/fields.ts'
import { firstGood } from '../testing/measured.ts'
import { cpuMilliseconds } from '../testing/runs.ts'
import { tableColumns } from './columns.ts'
import { findColumns } from './fields.ts'
import { readTableQuery } from './query.ts'

const of = (properties: object, more: object = {}) => tableColumns({ properties, ...more } as never).slice(1)
const typed = (property: object, more: object = {}) => {
  const [{ type, items, nullable } = {} as never] = of({ a: property }, more)
  return [type, items, nullable].filter((one) => one !== undefined)
}

test.each([
  [{ type: 'string' }, ['text', true]],
  [{ type: ['string', 'null'] }, ['text', true]],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, ['integer', true]],
  [{ type: 'number' }, ['number', true]],
  [{ type: 'boolean' }, ['boolean', true]],
  [{ type: 'string', format: 'date-time' }, ['date-time', true]],
  [{ type: 'string', format: 'date' }, ['date', true]],
  [{ type: 'string', format: 'email' }, ['text', true]],
  [{ enum: ['a', 'b'] }, ['text', true]],
  [{ enum: ['a', 1] }, ['json', true]],
  [{ const: 'a' }, ['text', true]],
  [{ type: ['string', 'integer'] }, ['json', true]],
  [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['json', true]],
  [{}, ['json', true]],
  [true, ['json', true]],
  [{ type: 'array', items: { type: 'string' } }, ['list', 'text', true]],
  [{ type: 'array', items: { type: 'object' } }, ['json', true]],
  [{ type: 'array', items: {}, prefixItems: [{ type: 'string' }] }, ['json', true]],
  [{ type: 'object' }, ['json', true]],
  [{ type: 'object', properties: { $file: { type: 'string' } }, required: ['$file'] }, ['file', true]],
  [{ $ref: '#/$defs/Color' }, ['text', true]],
  [{ $ref: '#/$defs/Loop' }, ['json', true]],
  [{ $ref: 'other#/x' }, ['json', true]],
])('%j is a column %j', (property, expected) => {
  const $defs = { Color: { type: 'string' }, Loop: { $ref: '#/$defs/Loop' } }
  expect(typed(property as object, { $defs })).toEqual(expected)
})

test('a required property that excludes null is not nullable', () => {
  expect(typed({ type: 'string' }, { required: ['a'] })).toEqual(['text', false])
  expect(typed({ type: ['string', 'null'] }, { required: ['a'] })).toEqual(['text', true])
  expect(typed({}, { required: ['a'] })).toEqual(['json', true])
})

test('closed objects of two levels have members; deeper, open and wide ones are JSON', () => {
  const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
  const [a] = of({ a: closed({ 'b/c': closed({ d: closed({ e: {} }) }) }) })
  expect(a).toMatchObject({ type: 'object', path: '/a' })
  expect(a!.members).toMatchObject([{ name: 'b/c', path: '/a/b~1c', type: 'object' }])
  expect(a!.members![0]!.members).toMatchObject([{ name: 'd', path: '/a/b~1c/d', type: 'json' }])
  expect(typed({ type: 'object', properties: { b: {} } })[0]).toBe('json')
  const wide = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`m${n}`, {}]))
  expect(typed(closed(wide))[0]).toBe('json')
})

test('names are unique in any case, and follow the order of the author', () => {
  const place = (propertyOrder: number) => ({ propertyOrder })
  const names = of({ a: place(2), A: place(1), _id: {}, _ID: {}, '': {}, A_2: {} }).map(({ name }) => name)
  expect(names).toEqual(['A', 'a_2', '_id_2', '_ID_3', '_', 'A_2_2'])
})

test('columns without a place stand as fields do on pages, under the names that they have without', () => {
  const properties = {
    A: {},
    a: { type: 'string' },
    list: { type: 'array' },
    Title: {},
    last: { type: 'string' },
  }
  const schema = { properties, required: ['last'] }
  expect(of(properties, schema).map(({ name }) => name)).toEqual(['Title', 'last', 'a_2', 'A', 'list'])
  expect(fieldsOf(schema).map(({ name }) => name)).toEqual(['Title', 'last', 'a', 'A', 'list'])
})

test('private properties and references are marked', () => {
  expect(of({ a: { private: true, 'x-ref-type': 'Country', type: 'string' } })).toMatchObject([
    { private: true, refersTo: 'Country' },
  ])
})

test('a type without properties has the whole data', () => {
  expect(tableColumns({}).map(({ name, type }) => [name, type])).toEqual([
    ['_id', 'text'],
    ['data', 'json'],
  ])
})

test('a type with more properties than a table has columns has the whole data', () => {
  const properties = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }]))
  expect(of(properties(2_000))).toHaveLength(2_000)
  expect(of(properties(2_001))).toMatchObject([{ name: 'data', path: '', type: 'json' }])
})

test('references give a schema no more members than its share', () => {
  const leaves = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`m${n}`, { type: 'string' }]))
  const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
  const inner = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`n${n}`, { $ref: '#/$defs/leaf' }]))
  const $defs = { leaf: closed(leaves), inner: closed(inner) }
  const columns = of(
    Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { $ref: '#/$defs/inner' }])),
    { $defs },
  )
  expect(columns).toHaveLength(2_000)
  expect(findColumns(columns).length).toBeLessThan(5_000)
  expect(columns[0]).toMatchObject({ type: 'object' })
  expect(columns.at(-1)).toMatchObject({ type: 'json' })
})

test('long names of objects count for each of their members', () => {
  const members = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`m${n}`, {}]))
  const long = { type: 'object', properties: members, additionalProperties: false }
  const columns = of({ ['x'.repeat(100_000)]: long, y: long })
  expect(columns.map(({ type }) => type)).toEqual(['json', 'object'])
})

test.each<[string, () => unknown]>([
  [
    'names that differ only in case',
    () => of(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [caseOf('abcdefghijklm', n), {}]))),
  ],
  [
    'references to a long list',
    () =>
      of(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { $ref: '#/$defs/a' }])), {
        $defs: {
          a: { type: ['object', 'null'], required: Array.from({ length: 20_000 }, (_, n) => `${n}`) },
        },
      }),
  ],
  [
    'columns that a question names',
    () => {
      const columns = of(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`c${n}`, {}])))
      return readTableQuery({ columns: columns.map(({ name }) => name).join() }, columns)
    },
  ],
  [
    'an unknown field with a long name',
    () => {
      const columns = of({ ['x'.repeat(200_000)]: {} })
      expect(() => readTableQuery({ sort: 'y'.repeat(15_000) }, columns)).toThrow(/There is no field/)
    },
  ],
])('%s take little time', async (_, work) => {
  const millisecondsMax = 200
  const attempt = async () => {
    const before = cpuMilliseconds()
    work()
    return cpuMilliseconds() - before
  }
  // 5 to 20 ms; 0.3 to 10 s in quadratic time.
  expect(await firstGood(attempt, (took) => took < millisecondsMax)).toBeLessThan(millisecondsMax)
})

/** One of 2^13 names that differ in case only. */
const caseOf = (letters: string, n: number): string =>
  [...letters].map((letter, bit) => ((n >> bit) & 1 ? letter.toUpperCase() : letter)).join('')
