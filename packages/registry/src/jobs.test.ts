import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase, unlimitedSpace } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { firstGood, median } from '../../content/src/testing/measured.ts'
import { type Jobs, jobsOf } from './jobs.ts'
import { keepLog, type Logged } from './testing/context.ts'

type Made = Awaited<ReturnType<(typeof databases)[number]['settings']>>

describe.each(databases)('jobs on $name', (testDatabase) => {
  let made: Made
  let opened: { database: Database }
  let log: Logged
  const started: Jobs[] = []
  const open = (works = true): Jobs => {
    const jobs = jobsOf({ database: opened.database, space: unlimitedSpace, log, works })
    started.push(jobs)
    return jobs
  }
  beforeEach(async () => {
    made = await testDatabase.settings()
    opened = { database: await openDatabase(made.settings) }
    log = keepLog()
  })
  afterEach(async () => {
    for (const jobs of started.splice(0)) await jobs.stop()
    await opened.database.close()
    await made.dispose()
  })
  /** Inserts rows of the kind `deletions`; the other kinds are tested with their services. */
  const wait = (...ids: string[]) =>
    opened.database.query(
      `insert into deletions (id, collection_ids, push_ids, deleted_at)
       select id, '{}', '{}', now() from unnest($1::uuid[]) as id`,
      [ids],
    )
  /** Takes rows as `deletion.ts` does. */
  const takeDeletions = (
    jobs: Jobs,
    run: (id: string) => Promise<void>,
    { atOnce = 2, leaseSeconds = 60 } = {},
  ) =>
    jobs.take('deletions', {
      atOnce,
      async claim(most) {
        const { rows } = await opened.database.query<{ id: string }>(
          `update deletions set lease_until = now() + make_interval(secs => $2)
           where id in (select id from deletions where lease_until is null or lease_until <= now() limit $1 for update skip locked)
           returning id`,
          [most, leaseSeconds],
        )
        return rows.map(({ id }) => id)
      },
      async run(id) {
        await run(id)
        await opened.database.query('delete from deletions where id = $1', [id])
      },
    })
  const begun = async (jobs: Jobs) => {
    await jobs.start()
    // The first look.
    await sleep(300)
  }
  const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

  const startedMillisecondsMax = 50
  /** Milliseconds from a wake by the one to the begin of the work in the other: the median of nine, until one is short enough. */
  async function startedAfterWake(waking: Jobs, working: Jobs): Promise<number> {
    const startedAt: number[] = []
    takeDeletions(working, async () => void startedAt.push(performance.now()))
    await begun(working)
    if (waking !== working) await begun(waking)
    const isIdle = async () => (await opened.database.query('select from deletions')).rows.length === 0
    let woken = 0
    const nine = async () => {
      const delays: number[] = []
      while (delays.length < 9) {
        await wait(idOf(woken++))
        const wokenAt = performance.now()
        waking.wake('deletions')
        await expect.poll(() => startedAt.length, { interval: 2 }).toBe(woken)
        delays.push(startedAt.at(-1)! - wokenAt)
        // The end of this work looks for more; that must not find the next row.
        await expect.poll(isIdle).toBe(true)
        await sleep(100)
      }
      return median(delays)
    }
    return firstGood(nine, (delay) => delay < startedMillisecondsMax)
  }

  test('waiting work begins within 50 ms of its wake', async () => {
    const jobs = open()
    expect(await startedAfterWake(jobs, jobs)).toBeLessThan(startedMillisecondsMax)
  })

  test.runIf(testDatabase.name === 'server')(
    'a process without background work wakes another one within 50 ms',
    async () => {
      const database = await openDatabase(made.settings)
      const api = jobsOf({ database, space: unlimitedSpace, log, works: false })
      takeDeletions(api, async () => expect.unreachable())
      const delay = await startedAfterWake(api, open())
      await api.stop()
      await database.close()
      expect(delay).toBeLessThan(startedMillisecondsMax)
    },
  )

  test('work is not part of the request that wakes it', async () => {
    const request = new AsyncLocalStorage<string>()
    const stores: (string | undefined)[] = []
    const jobs = open()
    takeDeletions(jobs, async () => void stores.push(request.getStore()))
    await begun(jobs)
    await wait(...Array.from({ length: 5 }, (_, index) => idOf(index)))
    request.run('of a request', () => jobs.wake('deletions'))
    await vi.waitFor(() => expect(stores).toHaveLength(5), { timeout: 20_000 })
    expect(new Set(stores)).toEqual(new Set([undefined]))
  })

  test('work is found without a wake, two seconds later', async () => {
    const ran = vi.fn(async () => undefined)
    const jobs = open()
    takeDeletions(jobs, ran)
    await begun(jobs)
    await wait(idOf(1))
    await vi.waitFor(() => expect(ran).toHaveBeenCalledWith(idOf(1)), { timeout: 5_000 })
  })

  test('one wake is enough for many rows, of which no more run at once than may', async () => {
    const seen = new Set<string>()
    let now = 0
    let most = 0
    const jobs = open()
    takeDeletions(jobs, async (id) => {
      most = Math.max(most, ++now)
      await sleep(5)
      now--
      seen.add(id)
    })
    await begun(jobs)
    await wait(...Array.from({ length: 20 }, (_, index) => idOf(index)))
    jobs.wake('deletions')
    // Two at each look would take 18 s.
    await vi.waitFor(() => expect(seen.size).toBe(20), { timeout: 8_000, interval: 10 })
    expect(most).toBe(2)
  })

  test('a row whose work fails is taken again when its lease is over', async () => {
    const ran = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('once'))
    const jobs = open()
    takeDeletions(jobs, ran, { leaseSeconds: 1 })
    await jobs.start()
    await wait(idOf(1))
    jobs.wake('deletions')
    await vi.waitFor(() => expect(ran).toHaveBeenCalledTimes(2), { timeout: 10_000, interval: 50 })
    expect(log.errors.map(({ line }) => line)).toEqual(['work on deletions failed'])
    await vi.waitFor(() => expect(jobs.failed()).toEqual([]))
  })

  test('failed tasks are listed until they succeed, without values of statements, and begin at once on a retry', async () => {
    const jobs = open()
    let isBroken = true
    const run = vi.fn(async () => {
      if (isBroken) await opened.database.query('select $1::int', ['a private word'])
    })
    jobs.repeat({ name: 'upkeep', everySeconds: 3_600 }, run)
    await jobs.start()
    await vi.waitFor(() => expect(jobs.failed()).toMatchObject([{ name: 'upkeep', times: 1 }]))
    expect(jobs.retry('upkeep')).toBe(true)
    await vi.waitFor(() => expect(jobs.failed()).toMatchObject([{ times: 2 }]))
    expect(JSON.stringify(jobs.failed())).not.toContain('private')
    isBroken = false
    jobs.retry('upkeep')
    await vi.waitFor(() => expect(jobs.failed()).toEqual([]))
    expect([jobs.retry('nothing'), jobs.retry('__proto__')]).toEqual([false, false])
  })

  test('a failed task runs again soon, without a wake, and its failure ends with the cause; a wake does not wait for that', async () => {
    const jobs = open()
    const once = () => vi.fn(async () => undefined).mockRejectedValueOnce(new Error('an outage'))
    // Another process does the work on `log`, so that nothing is due here.
    const [cleared, repeated, daily] = [once(), once(), once()]
    jobs.clear('log', cleared)
    jobs.repeat({ name: 'each hour', everySeconds: 3_600 }, repeated)
    jobs.repeat({ name: 'daily', everySeconds: 3_600, onceInSeconds: 86_400 }, daily)
    const woken = once()
    jobs.clear('questions', woken)
    await jobs.start()
    await vi.waitFor(() => expect(jobs.failed()).toHaveLength(4))
    const failedAt = performance.now()
    jobs.wake('questions')
    await vi.waitFor(() => expect(woken).toHaveBeenCalledTimes(2), { timeout: 10_000, interval: 20 })
    expect(performance.now() - failedAt).toBeLessThan(4_000)
    const names = () => jobs.failed().map(({ name }) => name)
    await vi.waitFor(() => expect(names()).toEqual(['daily']), { timeout: 30_000 })
    for (const run of [cleared, repeated]) expect(run).toHaveBeenCalledTimes(2)
    expect(daily).toHaveBeenCalledTimes(1)
  }, 60_000)

  test('stop waits for the work that runs and takes no other', async () => {
    let ended = 0
    const began = Promise.withResolvers<void>()
    const jobs = open()
    takeDeletions(
      jobs,
      async () => {
        began.resolve()
        await sleep(300)
        ended++
      },
      { atOnce: 1 },
    )
    await jobs.start()
    await wait(idOf(1), idOf(2))
    jobs.wake('deletions')
    await began.promise
    await jobs.stop()
    expect(ended).toBe(1)
    jobs.wake('deletions')
    await sleep(300)
    expect(ended).toBe(1)
  })

  test('on a full disk work waits', async () => {
    let isFull = true
    const ran = vi.fn(async () => undefined)
    const jobs = jobsOf({
      database: opened.database,
      space: { ...unlimitedSpace, isFull: async () => isFull },
      log,
      works: true,
    })
    started.push(jobs)
    takeDeletions(jobs, ran)
    await begun(jobs)
    await wait(idOf(1))
    jobs.wake('deletions')
    await sleep(300)
    expect(ran).not.toHaveBeenCalled()
    isFull = false
    await vi.waitFor(() => expect(ran).toHaveBeenCalled(), { timeout: 20_000 })
  })

  test('work that clears a kind runs at its wake, at most once a second, and never twice at a time', async () => {
    let now = 0
    let most = 0
    const at: number[] = []
    const jobs = open()
    jobs.clear('events', async () => {
      at.push(performance.now())
      most = Math.max(most, ++now)
      await sleep(20)
      now--
    })
    await begun(jobs)
    for (let number = 0; number < 30; number++) {
      jobs.wake('events')
      await sleep(50)
    }
    await jobs.stop()
    expect(at.length).toBeGreaterThan(1)
    for (const [index, time] of at.slice(1).entries()) expect(time - at[index]!).toBeGreaterThan(950)
    expect(most).toBe(1)
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
