import { expect, test } from 'vitest'
import { isValueInId } from './value-in-id.ts'

test('a value is in an id that equals it, or that has it as a part between tildes', () => {
  expect(isValueInId('ada@example.org', 'ada@example.org')).toBe(true)
  expect(isValueInId('2021~ada@example.org', 'ada@example.org')).toBe(true)
  expect(isValueInId('ada@example.org', 'ada')).toBe(false)
  expect(isValueInId('a~b', 'a~b')).toBe(true)
})

test('numbers and booleans count by their JSON text', () => {
  expect(isValueInId('12', 12)).toBe(true)
  expect(isValueInId('x~0.5', 0.5)).toBe(true)
  expect(isValueInId('12', 1)).toBe(false)
  expect(isValueInId('true~1', true)).toBe(true)
})

test('a part that import escaped is the value', () => {
  expect(isValueInId('1~50%25', '50%')).toBe(true)
  expect(isValueInId('1~a%7Eb', 'a~b')).toBe(true)
})

test('empty texts, null, lists and objects are in no id', () => {
  for (const value of ['', null, undefined, ['a'], { a: 1 }]) expect(isValueInId('a~~b', value)).toBe(false)
})
