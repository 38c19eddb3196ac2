import { expect, test } from 'vitest'
import { Random } from './random.ts'

const taken = (random: Random) => Array.from({ length: 50 }, () => random.between(0, 999))

test('the same seed gives the same numbers, another seed others', () => {
  expect(taken(new Random('7'))).toEqual(taken(new Random('7')))
  expect(taken(new Random('7'))).not.toEqual(taken(new Random('8')))
})

test('a child does not depend on how much was taken of its parent', () => {
  const parent = new Random('7')
  const early = taken(parent.child('faults'))
  taken(parent)
  expect(taken(parent.child('faults'))).toEqual(early)
  expect(taken(parent.child('worker 1'))).not.toEqual(early)
})

test('picks are in proportion to their weights', () => {
  const random = new Random('7')
  const table = [
    { name: 'never', weight: 0 },
    { name: 'often', weight: 9 },
    { name: 'seldom', weight: 1 },
  ]
  const counts = { never: 0, often: 0, seldom: 0 } as Record<string, number>
  for (let n = 0; n < 10_000; n++) counts[random.weighted(table).name]!++
  expect(counts['never']).toBe(0)
  expect(counts['seldom']! / 10_000).toBeCloseTo(0.1, 1)
})
