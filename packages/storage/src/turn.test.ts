import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { giveWay } from './turn.ts'

const burn = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('steps that wait for nothing let others have the loop, many such works side by side too', async () => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let step = 0; step < 100; step++) {
        burn(0.5)
        await giveWay()
      }
    }),
  )
  delay.disable()
  // 200 ms of work: a pause of half of it would be this code's fault, a shorter one may be the machine's.
  expect(delay.max / 1e6).toBeLessThan(100)
  expect(delay.count).toBeGreaterThan(10)
})

test('of many works side by side, one continues per turn', async () => {
  let [steps, most, isOver] = [0, 0, false]
  const look = () => {
    most = Math.max(most, steps)
    steps = 0
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
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
  expect(giveWay()).toBeUndefined()
  expect(giveWay()).toBeUndefined()
})
