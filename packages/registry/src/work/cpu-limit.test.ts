import { afterEach, expect, test, vi } from 'vitest'
import { limitCpu } from './cpu-limit.ts'

afterEach(() => void vi.useRealTimers())

/** Runs a task that uses this share of its time to its end. */
const ended = (milliseconds: number, share: number, more?: { maySleep: boolean }) =>
  new Promise<{ isCostly: boolean; after: number }>((resolve) => {
    const began = performance.now()
    const used = () => (performance.now() - began) * share
    limitCpu(milliseconds, used, (isCostly) => resolve({ isCostly, after: performance.now() - began }), more)
  })

test.each<[name: string, share: number, maySleep: boolean, isCostly: boolean, after: number]>([
  ['works', 1, false, true, 1_000],
  ['gets a quarter of a processor', 0.25, true, true, 4_000],
  ['sleeps, though it may not', 0, false, false, 6_000],
  ['sleeps of its own accord', 0, true, true, 1_000],
])('a task that %s', async (_, share, maySleep, isCostly, after) => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setImmediate'] })
  const ending = ended(1_000, share, { maySleep })
  await vi.advanceTimersByTimeAsync(10_000)
  const end = await ending
  expect(end.isCostly).toBe(isCostly)
  expect(end.after).toBeGreaterThanOrEqual(after - 10)
  expect(end.after).toBeLessThan(after + 900)
})

test('a pause is no sleep', async () => {
  const end = ended(1_000, 0, { maySleep: true })
  await new Promise((resolve) => setTimeout(resolve, 100))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  const { after } = await end
  // Timers may fire a little early.
  expect(after).toBeGreaterThan(1_550)
})
