import { expect, test } from 'vitest'
import { audienceOf, audienceText } from './audience.ts'

const plan = (type: string, ...names: string[]) => ({
  type,
  columns: names.map((name) => ({ name })) as never,
})
const schema = { properties: { Title: {}, Amount: {}, 'Case officer': { private: true } } }

test('a page says before publishing what the public will see, and what is private', () => {
  const audience = audienceOf(plan('Grant'), schema, 0)
  expect(audienceText(audience, true)).toBe('The public will see: Title, Amount; private: Case officer.')
  expect(audienceText(audience, false)).toBe(
    'The collection is private: the public sees nothing of it. Made public, it would show: Title, Amount; private: Case officer.',
  )
})

test('of a type without private fields it says so; a private type shows nothing', () => {
  expect(audienceText(audienceOf(plan('City'), { properties: { name: {} } }, 2), true)).toBe(
    'The public will see: name. Nothing is private. 2 records stay private.',
  )
  expect(audienceText(audienceOf(plan('City'), { ...schema, private: true }, 0), true)).toBe(
    'The public sees no records of City: the type is private.',
  )
})

test('of a thousand fields the first are named', () => {
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, {}]))
  const text = audienceText(audienceOf(plan('Wide'), { properties }, 0), true)
  expect(text).toContain('f39 and 960 more.')
  expect(text).not.toContain('f40')
})

test('a schema that lists no fields shows those of the file, in the order of the file', () => {
  const open = { properties: { b: { private: true } } }
  expect(audienceText(audienceOf(plan('Open', 'z', 'b', 'a'), open, 0), true)).toBe(
    'The public will see: z, a; private: b.',
  )
})

test('fields stand in the order of their propertyOrder', () => {
  const ordered = { properties: { a: { propertyOrder: 2 }, b: { propertyOrder: 1 }, c: {} } }
  expect(audienceOf(plan('T'), ordered, 0).shown).toEqual(['b', 'a', 'c'])
})
