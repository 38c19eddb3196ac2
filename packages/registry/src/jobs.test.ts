import { openDatabase, unlimitedSpace } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Jobs, jobsOf } from './jobs.ts'
import { keepLog, type Logged } from './testing/context.ts'

type Opened = Awaited<ReturnType<(typeof databases)[number]['open']>>

describe.each(databases)('jobs on $name', (testDatabase) => {
  let opened: Opened
  let log: Logged
  const started: Jobs[] = []
  const open = (works = true, pollSeconds?: number): Jobs => {
    const jobs = jobsOf({ database: opened.database, space: unlimitedSpace, log, works, pollSeconds })
    started.push(jobs)
    return jobs
  }
  beforeEach(async () => {
    opened = await testDatabase.open()
    log = keepLog()
  })
  afterEach(async () => {
    for (const jobs of started.splice(0)) await jobs.stop()
    await opened.dispose()
  })
  const enqueue = (jobs: Jobs, ...numbers: number[]) =>
    opened.database.transact(async (tx) => {
      for (const number of numbers) await jobs.enqueue(tx, 'count', { number })
    })

  test('a job runs at once after a poke, without waiting for a poll', async () => {
    const ran = vi.fn(async () => undefined)
    const jobs = open(true, 3_600)
    jobs.define('count', ran)
    await jobs.start()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await enqueue(jobs, 1)
    jobs.poke('count')
    await vi.waitFor(() => expect(ran).toHaveBeenCalledWith({ number: 1 }), { timeout: 20_000, interval: 5 })
  })

  test('the row of a job that ended is kept for a day', async () => {
    const jobs = open()
    jobs.define('count', async () => undefined)
    await jobs.start()
    const { rows } = await opened.database.query(
      'select deletion_seconds as kept from pgboss.queue where name = $1',
      ['count'],
    )
    expect(rows).toEqual([{ kept: 86_400 }])
  })

  test('one poke is enough for many jobs', async () => {
    const seen = new Set<unknown>()
    const jobs = open(true, 3_600)
    jobs.define('count', async ({ number }) => void seen.add(number))
    await jobs.start()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await enqueue(jobs, ...Array.from({ length: 20 }, (_, index) => index))
    jobs.poke('count')
    await vi.waitFor(() => expect(seen.size).toBe(20), { timeout: 20_000, interval: 10 })
  })

  test('a job exists exactly if its transaction commits', async () => {
    const ran = vi.fn(async () => undefined)
    const jobs = open()
    jobs.define('count', ran)
    await jobs.start()
    const undone = opened.database.transact(async (tx) => {
      await jobs.enqueue(tx, 'count', { number: 1 })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await enqueue(jobs, 2)
    jobs.poke('count')
    await vi.waitFor(() => expect(ran).toHaveBeenCalled(), { timeout: 20_000 })
    expect(ran.mock.calls).toEqual([[{ number: 2 }]])
  })

  test('a process that does not work jobs leaves them to one that does', async () => {
    const idle = vi.fn(async () => undefined)
    const api = open(false)
    api.define('count', idle)
    await api.start()
    await enqueue(api, 7)
    api.poke('count')
    const ran = vi.fn(async () => undefined)
    const worker = open(true)
    worker.define('count', ran)
    await worker.start()
    await vi.waitFor(() => expect(ran).toHaveBeenCalledWith({ number: 7 }), { timeout: 20_000 })
    expect(idle).not.toHaveBeenCalled()
  })

  test.runIf(testDatabase.name === 'server')(
    'processes that start at the same time on a new database all get ready',
    async () => {
      await using ending = new AsyncDisposableStack()
      const { settings, dispose } = await testDatabase.settings()
      ending.defer(dispose)
      const starting = Array.from({ length: 4 }, async () => {
        const database = await openDatabase(settings)
        ending.defer(() => database.close())
        const jobs = jobsOf({ database, space: unlimitedSpace, log, works: true })
        jobs.define('count', async () => undefined)
        await jobs.start()
        ending.defer(() => jobs.stop())
      })
      const ends = await Promise.allSettled(starting)
      expect(ends.filter(({ status }) => status === 'rejected')).toEqual([])
    },
  )

  test('a job that fails is run again', async () => {
    const ran = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('once'))
    const jobs = open()
    jobs.define('count', ran)
    await jobs.start()
    await enqueue(jobs, 1)
    jobs.poke('count')
    await vi.waitFor(() => expect(ran).toHaveBeenCalledTimes(2), { timeout: 30_000, interval: 50 })
  })

  test('stop waits for the job that runs and takes no other', async () => {
    let ended = 0
    let begin: () => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const jobs = open()
    jobs.define('count', async () => {
      begin()
      await new Promise((resolve) => setTimeout(resolve, 300))
      ended++
    })
    await jobs.start()
    await enqueue(jobs, 1)
    jobs.poke('count')
    await begun
    await jobs.stop()
    expect(ended).toBe(1)
    await enqueue(jobs, 2).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(ended).toBe(1)
  })

  test('repeated work begins at the start, never overlaps itself and outlives its errors', async () => {
    let now = 0
    let most = 0
    let runs = 0
    const jobs = open()
    jobs.repeat({ name: 'tidying', everySeconds: 0.01 }, async () => {
      now++
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, 20))
      now--
      if (++runs === 1) throw new Error('first')
    })
    await jobs.start()
    await vi.waitFor(() => expect(runs).toBeGreaterThan(3), { timeout: 20_000 })
    await jobs.stop()
    const after = runs
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(runs).toBe(after)
    expect(most).toBe(1)
    expect(log.errors.map(({ line }) => line)).toEqual(['tidying failed'])
  })

  test('a failure that repeats is logged once a minute, another one at once', async () => {
    let runs = 0
    const jobs = open()
    jobs.repeat({ name: 'tidying', everySeconds: 0.01 }, async () => {
      runs++
      if (runs !== 4) throw new Error(runs < 4 ? 'first' : 'second')
    })
    await jobs.start()
    await vi.waitFor(() => expect(runs).toBeGreaterThan(6), { timeout: 20_000 })
    await jobs.stop()
    const messages = log.errors.map(({ facts }) => (facts as { err: Error }).err.message)
    expect(messages).toEqual(['first', 'second'])
  })

  test('stopping waits for work that was left going on', async () => {
    const jobs = open()
    const work = Promise.withResolvers<void>()
    jobs.repeat({ name: 'begins work', everySeconds: 60 }, async () => jobs.leave(work.promise))
    await jobs.start()
    let isStopped = false
    const stopped = jobs.stop().then(() => {
      isStopped = true
    })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(isStopped).toBe(false)
    work.resolve()
    await stopped
  })
})
