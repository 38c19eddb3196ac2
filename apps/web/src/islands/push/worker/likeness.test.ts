import { expect, test } from 'vitest'
import { freeName, isMajor, likenessText } from './likeness.ts'

const file = { name: 'grants-2.csv', rows: 303, columns: Array(6) } as never
const match = { type: 'Grants', isLikely: true, sharedIds: 280, reason: '' }

test('the likeness of a file and a type in words', () => {
  const columns = ['a', 'b', 'c', 'd', 'e', 'f']
  expect(likenessText({ ...match, columns }, file)).toBe(
    'These look like more Grants: all 6 columns and 280 of 303 ids match.',
  )
  expect(likenessText({ ...match, columns: ['a'], sharedIds: undefined, isLikely: false }, file)).toBe(
    'These are unlike Grants: 1 of 6 columns match.',
  )
})

test('a new type has a name of its own', () => {
  expect(freeName('Grants', { Grants: {}, Grants2: {} })).toBe('Grants3')
  expect(freeName('Grants', {})).toBe('Grants')
})

test('a version is major after one with a smaller first number, and the first of all is none', () => {
  expect([isMajor(null, 'v1.0.0'), isMajor('v1.4.2', 'v2.0.0'), isMajor('v1.4.2', 'v1.5.0')]).toEqual([
    false,
    true,
    false,
  ])
})
