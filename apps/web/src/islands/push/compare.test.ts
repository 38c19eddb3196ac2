import { expect, test } from 'vitest'
import { schemaOfPush } from './compare.ts'

const column = (name: string, isPrivate: boolean) =>
  ({ name, kind: 'string', isRequired: false, isPrivate }) as const
const plan = (...columns: ReturnType<typeof column>[]) => ({ type: 'City', id: ['id'], columns })
const City = { type: 'object', properties: { name: { type: 'string' }, keeper: { private: true } } }

test('a type that is there keeps its schema', () => {
  const same = schemaOfPush({ City, Country: {} }, plan(column('name', false), column('keeper', false)))
  expect(same).toEqual({ schemas: undefined, schemaChanges: [] })
})

test('a column that is marked private is private from now on, whatever the type was; what is private stays so', () => {
  const { schemas, schemaChanges } = schemaOfPush(
    { City, Country: {} },
    plan(column('name', true), column('keeper', false), column('mayor', true)),
  )
  expect(schemas).toEqual({
    City: {
      type: 'object',
      properties: {
        name: { type: 'string', private: true },
        keeper: { private: true },
        mayor: { type: 'string', private: true },
      },
    },
    Country: {},
  })
  expect(schemaChanges).toHaveLength(2)
})

test('a new type comes beside the others', () => {
  expect(Object.keys(schemaOfPush({ Country: {} }, plan(column('name', false))).schemas!)).toEqual([
    'Country',
    'City',
  ])
})
