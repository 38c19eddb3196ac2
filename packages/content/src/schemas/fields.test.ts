import { expect, test } from 'vitest'
import { fieldsMax, fieldsOf } from './fields.ts'

const properties = (count: number, more: object = {}) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, more])),
})

test('of thousands of fields pages show the first ones of the author', () => {
  const many = properties(fieldsMax + 1_000)
  const schema = { properties: { ...many.properties, first: { propertyOrder: 1 } } }
  expect(fieldsOf(schema)).toHaveLength(fieldsMax + 1_001)
  const fields = fieldsOf(schema, fieldsMax)
  expect(fields).toHaveLength(fieldsMax)
  expect(fields[0]).toMatchObject({ name: 'first' })
})

test('rules are in words', () => {
  const [field] = fieldsOf(properties(1, { type: 'string', minLength: 2 }))
  expect(field!.rules).toEqual(['at least 2 characters'])
})
