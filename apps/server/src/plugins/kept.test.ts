import { setTimeout } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { keptFor } from './kept.ts'

test('concurrent callers share one value, which is renewed after it expires', async () => {
  let made = 0
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const ask = keptFor(100, async () => {
    await setTimeout(10)
    return ++made
  })
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
  clock.mockReturnValue(1_099)
  expect(await ask()).toBe(1)
  clock.mockReturnValue(1_100)
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2])
  clock.mockRestore()
})

test('a failure reaches all waiting callers and is not cached', async () => {
  let tries = 0
  const ask = keptFor(60_000, async () => {
    if (++tries === 1) throw new Error('away')
    return tries
  })
  const both = await Promise.allSettled([ask(), ask()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe(2)
})
