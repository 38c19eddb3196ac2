import { expect, test } from 'vitest'
import { binEdges, roundSteps } from './quantities.ts'

test('round steps enclose the range', () => {
  for (const [least, most] of [
    [0, 1],
    [-3.5, 196.5],
    [58.03, 71.04],
    [1e-9, 3e-9],
    [-1e300, 1e300],
  ] as const) {
    const steps = roundSteps(least, most, 4)
    expect(steps[0]).toBeLessThanOrEqual(least)
    expect(steps.at(-1)).toBeGreaterThanOrEqual(most)
    expect(steps.length).toBeLessThan(9)
  }
  expect(roundSteps(-3.5, 196.5, 4)).toEqual([-50, 0, 50, 100, 150, 200])
  expect(roundSteps(0.1, 0.35, 5)).toEqual([0.1, 0.15, 0.2, 0.25, 0.3, 0.35])
})

test('bins have round and growing edges; the largest number is before the last one', () => {
  for (const [low, high] of [
    [0, 1],
    [1, 17_098_242],
    [-0.3, 0.3],
    [1e15, 1e15 + 2],
    [-1e300, 1e300],
    [1, 1 + Number.EPSILON],
    [5e-324, 1e-323],
    [-1e308, 1e307],
  ] as const) {
    const edges = binEdges(low, high, false)
    expect(edges[0]).toBeLessThanOrEqual(low)
    expect(edges.at(-1)).toBeGreaterThanOrEqual(high)
    expect(edges).toEqual(edges.toSorted((a, b) => a - b))
    expect([new Set(edges).size, edges.length > 1, edges.length < 24]).toEqual([edges.length, true, true])
  }
  expect(binEdges(0, 9, true)).toEqual([...Array(11).keys()])
})
