import { expect, test } from 'vitest'
import { Load } from './load.ts'

test('a sample has the requests and the CPU time of its period, and the oldest ones go', () => {
  let minutes = 0
  const load = new Load(() => new Date(minutes * 60_000))
  const burn = () => {
    const begin = process.cpuUsage().user
    while (process.cpuUsage().user - begin < 20_000);
  }
  burn()
  load.answered()
  for (; minutes < 400; minutes++) load.sample()
  const samples = load.samples()
  expect(samples.length).toBe(360)
  expect([samples[0]!.at, samples.at(-1)!.at]).toEqual([new Date(40 * 60_000), new Date(399 * 60_000)])
  expect(samples.every(({ requests }) => requests === 0)).toBe(true)
  load.answered()
  load.answered()
  burn()
  load.sample()
  const { requests, cpu, busy } = samples.at(-1)!
  expect(requests).toBeGreaterThan(0)
  expect(cpu).toBeGreaterThan(0)
  expect(busy >= 0 && busy <= 1).toBe(true)
})
