import { expect, test } from 'vitest'
import type { Json } from '../json/json.ts'
import { knownFieldsOf, unknownFieldsOf, withoutUnknownFields } from './known-fields.ts'

test('the properties of the root are known; without properties every field is', () => {
  const known = knownFieldsOf({ properties: { a: {}, constructor: {} }, required: ['b'] })
  expect(known).toEqual(new Set(['a', 'constructor']))
  expect(unknownFieldsOf({ a: 1, b: 2, constructor: 3 }, known)).toEqual(['b'])
  const open: Json[] = [{}, true, { properties: [] }, { allOf: [{ properties: { a: {} } }] }]
  for (const schema of open) {
    expect(unknownFieldsOf({ b: 2 }, knownFieldsOf(schema))).toEqual([])
  }
})

test('data without unknown fields is itself, and what is no object has none', () => {
  const known = new Set(['a'])
  const data = { a: { b: 1 } }
  expect(withoutUnknownFields(data, known)).toBe(data)
  expect(withoutUnknownFields(JSON.parse('{"a":1,"b":2,"__proto__":3}'), known)).toEqual({ a: 1 })
  for (const other of [[{ b: 1 }], 'b', null]) expect(withoutUnknownFields(other, known)).toBe(other)
})
