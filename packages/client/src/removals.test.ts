import { expect, test } from 'vitest'
import { allowedRemovals, demandFewRemovals, type MaxRemoved } from './removals.ts'

test.each([
  ['50%', 20_100, 10_050],
  ['50%', 1, 0],
  ['5%', 39, 1],
  ['0%', 40, 0],
  ['100%', 3, 3],
  ['12.5%', 8, 1],
  [0, 40, 0],
  [100, 40, 100],
] as const)('of at most %s of %s records, %s may go', (max, count, allowed) => {
  expect(allowedRemovals(max, count)).toBe(allowed)
})

test.each(['101%', '-1%', 'all', '', -1, 0.5, Number.NaN, '5 %'])('%s is no bound', (max) => {
  expect(() => allowedRemovals(max as MaxRemoved, 10)).toThrow(TypeError)
})

test('a refusal names the numbers and the option, and never says 100 % of what is not all', () => {
  const removal = { type: 'Item', removed: 20_099, count: 20_100 }
  expect(() => demandFewRemovals([removal], '50%')).toThrow(
    "This would remove 20,099 of 20,100 records of Item (99.9 %), and at most 10,050 may go (50%). Nothing was published. If it is meant, give a higher maxRemoved, such as '100%'.",
  )
  expect(() => demandFewRemovals([{ ...removal, removed: 10_050 }], '50%')).not.toThrow()
  expect(() => demandFewRemovals([{ ...removal, removed: 5 }, removal], 100)).toThrow('at most 100 may go.')
})
