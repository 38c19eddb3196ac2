import { expect, test } from 'vitest'
import { hashText } from '../../hash.ts'
import { Origin } from './origin.ts'

const [a, b] = [hashText('a'), hashText('b')]

test('a node replaces the old one that gave it most, the first of equals', () => {
  const origin = new Origin()
  origin.turn(0, a)
  origin.turn(3, undefined)
  origin.turn(9, b)
  expect(origin.finish(11)).toBe(a)
  expect(origin.finish(4)).toBe(b)
  origin.turn(0, a)
  origin.turn(2, b)
  expect(origin.finish(4)).toBe(a)
})

test('entries of one node do not count for the next', () => {
  const origin = new Origin()
  origin.turn(0, a)
  expect(origin.finish(8)).toBe(a)
  origin.turn(2, b)
  expect(origin.finish(5)).toBe(b)
})

test('a node replaces none when no old one gave anything', () => {
  const origin = new Origin()
  expect(origin.finish(5)).toBeUndefined()
  origin.turn(0, a)
  origin.turn(0, undefined)
  expect(origin.finish(5)).toBeUndefined()
})

test('knows the old node it replaces and the one that gave last', () => {
  const origin = new Origin()
  origin.turn(0, a)
  origin.turn(2, b)
  origin.turn(3, undefined)
  origin.finish(3)
  expect([origin.knows(a), origin.knows(b), origin.knows(hashText('c'))]).toEqual([true, true, false])
})
