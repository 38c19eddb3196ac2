import { expect, test, vi } from 'vitest'
import { blockedDuring } from '../../content/src/testing/measured.ts'
import { giveWay } from './turn.ts'

const burn = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('steps that wait for nothing let others have the loop, many such works side by side too', async () => {
  const { blocked, turns } = await blockedDuring(() =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let step = 0; step < 100; step++) {
          burn(0.5)
          await giveWay()
        }
      }),
    ),
  )
  // 200 ms of work, in turns of a millisecond or two; a garbage collection may fall into one.
  expect(blocked).toBeLessThan(100)
  expect(turns).toBeGreaterThan(10)
})

test('of many works side by side, one continues per turn', async () => {
  let [steps, most, isOver] = [0, 0, false]
  const look = () => {
    most = Math.max(most, steps)
    steps = 0
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  // This turn is a long one already, so that each of them has to wait.
  giveWay()
  burn(1.5)
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      for (let step = 0; step < 4; step++) {
        await giveWay()
        burn(1.5)
        steps++
      }
    }),
  )
  isOver = true
  expect(most).toBeLessThan(3)
})

test('short work never waits', async () => {
  await new Promise((resolve) => setImmediate(resolve))
  // A busy machine may stop this process between two calls.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    expect(giveWay()).toBeUndefined()
    expect(giveWay()).toBeUndefined()
  } finally {
    clock.mockRestore()
  }
})
