import { expect, test } from 'vitest'
import { leafOf, rawOf } from '../stored-leaves/stored-leaf.fixture.ts'
import { openReadingThreads } from './reading-threads.ts'

test('asking for a running thread starts one and reports it once it has begun', async () => {
  const threads = openReadingThreads()
  try {
    expect([threads.hasBegun(), threads.hasBegun()]).toEqual([false, false])
    await expect.poll(() => threads.hasBegun(), { timeout: 60_000 }).toBe(true)
  } finally {
    await threads.close()
  }
})

test('a single read does not wait for many reads of another owner', async () => {
  const threads = openReadingThreads()
  const leaf = () => leafOf(rawOf({ a: { n: 1 }, b: { n: 2 } }))
  try {
    await threads.findRecord({ ...leaf(), id: 'a' }, 'ada')
    let done = 0
    const long = Array.from({ length: 200 }, async () => {
      await threads.writeLeaf({ ...leaf(), after: undefined, form: 'canonical', buffer: undefined }, 'eve')
      done++
    })
    await threads.findRecord({ ...leaf(), id: 'b' }, 'ada')
    expect(done).toBeLessThan(20)
    await Promise.all(long)
  } finally {
    await threads.close()
  }
})
