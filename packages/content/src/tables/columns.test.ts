import { expect, test } from 'vitest'
import { tableColumns } from './columns.ts'

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
