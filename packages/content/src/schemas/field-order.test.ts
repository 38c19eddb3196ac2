import { expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import type { Json } from '../json/json.ts'
import { schemaChanges } from './changes.ts'
import { inFieldOrder, withMembersInOrder, withPropertiesInOrder } from './field-order.ts'
import { fieldsOf, tellingField } from './fields.ts'
import { acceptSchema } from './schema.ts'
import { publicSchemas } from './view.ts'
import { schemaWarnings } from './warnings.ts'

const at = (propertyOrder: unknown, more = {}): Json => ({ propertyOrder, ...more }) as Json
const publicOf = (schema: Json) => publicSchemas(new Map([['T', acceptSchema(schema)]])).get('T')!

test('fields with a place come first, by it; those without follow in the order of before', () => {
  const properties = {
    name: at(3),
    b: { type: 'string' },
    a: { type: 'string' },
    zip: at(1),
    city: at(2),
    list: { type: 'array' },
    odd: at(1.5, { type: 'string' }),
  }
  const fields = fieldsOf({ properties, required: ['b'] })
  expect(fields.map(({ name }) => name)).toEqual(['zip', 'city', 'name', 'b', 'a', 'odd', 'list'])
  expect(tellingField(fields)).toBe('name')
  expect(inFieldOrder(['city', 'x', 'zip', '__proto__'], { properties })).toEqual([
    'zip',
    'city',
    'x',
    '__proto__',
  ])
  expect(inFieldOrder(['b', 'a'], true)).toEqual(['b', 'a'])
})

test('members of records, nested ones too, and properties of schemas are written in order', () => {
  const place = { properties: { street: at(2), number: at(1) } }
  const schema = { properties: { a: at(2, place), b: at(1, { items: place }), c: {} } } as Json
  const value = { a: { number: 1, street: 's' }, b: [{ number: 2, street: 't', x: 0 }], c: 0 }
  expect(JSON.stringify(withMembersInOrder(value, schema))).toBe(
    '{"b":[{"number":2,"street":"t","x":0}],"a":{"number":1,"street":"s"},"c":0}',
  )
  expect(JSON.stringify(withMembersInOrder({ a: { street: 's', number: 1 } }, schema))).toBe(
    '{"a":{"number":1,"street":"s"}}',
  )
  const written = withPropertiesInOrder(schema) as { properties: Record<string, { properties?: object }> }
  expect(Object.keys(written.properties)).toEqual(['b', 'a', 'c'])
  expect(Object.keys(written.properties['a']!.properties!)).toEqual(['number', 'street'])
})

test('the public view has no gap where a private field was, first, last or between', () => {
  for (const [places, secret, left] of [
    [[1, 2, 3], 0, [1, 2]],
    [[1, 2, 3], 1, [1, 2]],
    [[1, 2, 3], 2, [1, 2]],
    [[10, 20, 30], 1, [10, 20]],
    [[0, 0, 5], 2, [0, 0]],
  ] as const) {
    const fields = places.map((place, n) => [`f${n}`, at(place, n === secret ? { private: true } : {})])
    const shown = publicOf({ properties: Object.fromEntries(fields) }).source as { properties: object }
    expect(Object.values(shown.properties).map(({ propertyOrder }) => propertyOrder)).toEqual(left)
  }
})

test('digests of before: schemas without places, or without private fields, are as they were in public', () => {
  const plain = { properties: { a: { type: 'string' }, s: { private: true } }, required: ['a', 's'] } as Json
  expect(publicOf(plain).canonical).toBe('{"properties":{"a":{"type":"string"}},"required":["a"]}')
  expect(publicOf(plain).hash).toBe('7270d3947f61d6053200a04dff1a2c0983704076a1d1c1a9f4cabe8ce801a118')
  const open = { properties: { a: at(7), b: at(9) } } as Json
  expect(publicOf(open).hash).toBe(hashText(canonicalize(open)))
})

test('a change of the order alone is described in words; the keyword is known', () => {
  const before = { properties: { a: at(1), b: at(2) } } as never
  const after = { properties: { a: at(2), b: at(1) } } as never
  expect(schemaChanges(before, after)).toEqual(['has its fields in another order'])
  expect([...schemaWarnings({ properties: { a: { propertyorder: 1 } } }, () => true)]).toEqual([
    expect.objectContaining({
      code: 'keyword_unknown',
      message: 'has no effect: "propertyOrder" may be meant',
    }),
  ])
  expect([...schemaWarnings(after, () => true)]).toEqual([])
})
