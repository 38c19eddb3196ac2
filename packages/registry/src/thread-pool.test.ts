import { expect, test } from 'vitest'
import { openThreadPool } from './thread-pool.ts'

test('a task does not wait for a thread that begins while another is idle, and every task is done', async () => {
  const pool = openThreadPool({
    filename: new URL('./workers/reading.ts', import.meta.url).href,
    maxThreads: 2,
  })
  try {
    const run = () => pool.run(undefined, { name: 'begin' })
    await run()
    let begun = 1
    pool.on('workerCreate', () => begun++)
    await Promise.all([run(), run(), run()])
    expect(begun).toBe(1)
    await expect.poll(() => begun, { timeout: 20_000 }).toBe(2)
    await Promise.all(Array.from({ length: 100 }, run))
    expect(pool.queueSize).toBe(0)
  } finally {
    await pool.close()
  }
})
