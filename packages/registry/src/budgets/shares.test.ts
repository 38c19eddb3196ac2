import { expect, test } from 'vitest'
import { budgetBytesOf } from './shares.ts'

test('a budget is a quarter of the memory that the process may have, within bounds', () => {
  const [gibibyte, none] = [1024 ** 3, 2 ** 64]
  expect(budgetBytesOf(4 * gibibyte, none)).toBe(gibibyte)
  expect(budgetBytesOf(4 * gibibyte, 0)).toBe(gibibyte)
  expect(budgetBytesOf(64 * gibibyte, none)).toBe(2 * gibibyte)
  // What a container on a large machine may have.
  expect(budgetBytesOf(64 * gibibyte, 4 * gibibyte)).toBe(gibibyte)
  expect(budgetBytesOf(64 * gibibyte, gibibyte)).toBe(gibibyte / 2)
})
