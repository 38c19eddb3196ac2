import { expect, test } from 'vitest'
import { fieldNames } from './field-names.ts'

const namesOf = (schemas: Record<string, unknown>) =>
  fieldNames(Object.entries(schemas).map(([type, schema]) => [type, JSON.stringify(schema)]))

test('types come first, then fields and titles, also of members, each in its parts', async () => {
  const Country = {
    title: 'A country',
    properties: {
      keeperEmail: { title: 'Address to write to' },
      name: { properties: { common: {} } },
      cities: { type: 'array', items: { properties: { inhabitants: {} } } },
    },
  }
  expect(await namesOf({ Country, RedList: true })).toBe(
    'Country RedList Red List A country keeperEmail keeper Email Address to write to name common cities inhabitants',
  )
})

test('hostile schemas are bounded', async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, {}]))
  expect((await namesOf({ T: { properties: many } })).split(' ')).toHaveLength(200)
  expect((await namesOf({ ['x'.repeat(10_000)]: {} })).length).toBe(200)
  let deep: object = {}
  for (let level = 0; level < 60; level++) deep = { properties: { [`level${level}`]: deep } }
  expect((await namesOf({ T: deep })).split(' ')).toEqual(['T', 'level59', 'level58', 'level57'])
  for (let level = 0; level < 60; level++) deep = { items: deep }
  expect(await namesOf({ T: deep })).toBe('T')
  expect(await namesOf({ T: { title: 7, properties: [null], items: 'x' }, U: null })).toBe('T U')
})
