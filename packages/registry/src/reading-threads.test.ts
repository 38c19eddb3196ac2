import { expect, test } from 'vitest'
import { openReadingThreads } from './reading-threads.ts'

test('asked whether one has begun, a thread begins, and is told of when it has', async () => {
  const threads = openReadingThreads()
  try {
    expect([threads.hasBegun(), threads.hasBegun()]).toEqual([false, false])
    await expect.poll(() => threads.hasBegun(), { timeout: 60_000 }).toBe(true)
    expect(threads.isReady()).toBe(true)
  } finally {
    await threads.close()
  }
})
