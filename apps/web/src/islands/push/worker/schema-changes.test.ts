import { expect, test } from 'vitest'
import { changesOf } from './schema-changes.ts'

const column = (name: string, isPrivate = false) =>
  ({ name, kind: 'string', isRequired: false, isPrivate }) as const
const plan = (...columns: ReturnType<typeof column>[]) => ({ type: 'City', id: ['id'], columns })
const City = {
  type: 'object',
  properties: { name: { type: 'string' }, keeper: { type: 'string', private: true } },
}

test('a type that is there keeps its schema, whatever else the collection has', () => {
  const same = changesOf(plan(column('name'), column('keeper', true)), { City, Country: {} })
  expect(same).toEqual({ after: { City, Country: {} }, isChanged: false, sentences: [] })
})

test('a new type comes beside the others', () => {
  const { after, isChanged } = changesOf(plan(column('name')), { Country: {} })
  expect([Object.keys(after), isChanged]).toEqual([['Country', 'City'], true])
})

test('a column that is marked private is private in a schema that lists no fields as well', () => {
  const open = { type: 'object' }
  const { after, sentences } = changesOf(plan(column('name'), column('keeper', true)), { City: open })
  expect(after['City']).toEqual({ type: 'object', properties: { keeper: { private: true } } })
  expect(sentences).toEqual(['keeper becomes private. Earlier versions still show it.'])
  expect(changesOf(plan(column('name')), { City: open }).isChanged).toBe(false)
})
