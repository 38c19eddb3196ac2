import { setImmediate } from 'node:timers/promises'
import type { Database } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contextOn, openContext, type TestContext } from '../testing/context.ts'
import { RequestRates, requestRatesOf, type Share } from './request-rates.ts'

const at = (minute: number, second = 0, milliseconds = 0) =>
  new Date(Date.UTC(2026, 5, 15, 12, minute, second, milliseconds))

describe('counting in one process', () => {
  test('so many a minute of the clock, of each by itself, and it says how many are left and until when', () => {
    let now = at(0, 20, 500)
    const rates = new RequestRates(() => now)
    const ask = (kind = 'account', name = 'ann') => rates.count(kind, name, 3)
    expect(ask()).toEqual({ isOver: false, remaining: 2, resetSeconds: 40 })
    expect([ask(), ask(), ask(), ask()].map(({ isOver, remaining }) => [isOver, remaining])).toEqual([
      [false, 1],
      [false, 0],
      [true, 0],
      [true, 0],
    ])
    expect(ask('account', 'ben').isOver).toBe(false)
    expect(ask('anonymous', 'ann').isOver).toBe(false)
    now = at(0, 59, 999)
    expect(ask()).toEqual({ isOver: true, remaining: 0, resetSeconds: 1 })
    now = at(1)
    expect(ask()).toEqual({ isOver: false, remaining: 2, resetSeconds: 60 })
  })

  test('an active caller is remembered among any number of others', () => {
    const rates = new RequestRates(() => at(0))
    for (let n = 0; n < 250_000; n++) {
      rates.count('anonymous', `${n}`, 10)
      if (n % 25_000 === 0) rates.count('account', 'ann', 1_000)
    }
    expect(rates.count('account', 'ann', 1_000).remaining).toBe(989)
    // Idle callers are evicted: memory is bounded.
    expect(rates.count('anonymous', '0', 10).remaining).toBe(9)
  })
})

describe('telling other processes', () => {
  /** Records shared counts; the test supplies the answers. */
  function telling() {
    let now = at(0)
    const told: { minute: Date; requests: number[] }[] = []
    let answer: Share = async () => []
    const share: Share = (minute, counts) => {
      told.push({ minute, requests: counts.map(({ requests }) => requests) })
      return answer(minute, counts)
    }
    const rates = new RequestRates(() => now, share)
    return {
      rates,
      told,
      ask: (times: number, name = 'ann') =>
        Array.from({ length: times }, () => rates.count('account', name, 100)).at(-1)!,
      answering: (next: Share) => {
        answer = next
      },
      moveTo: (next: Date) => {
        now = next
      },
    }
  }

  test('counts below a tenth of the limit are not shared', async () => {
    const { rates, told, ask } = telling()
    for (let n = 0; n < 50; n++) ask(9, `caller ${n}`)
    await rates.share()
    expect(told).toEqual([])
  })

  test('a count is shared at once at a tenth of the limit, then periodically while it grows', async () => {
    const { rates, told, ask } = telling()
    ask(9)
    expect(told).toEqual([])
    ask(1)
    expect(told).toEqual([{ minute: at(0), requests: [10] }])
    await rates.share()
    ask(8)
    expect(told).toHaveLength(1)
    await rates.share()
    await rates.share()
    expect(told.slice(1)).toEqual([{ minute: at(0), requests: [18] }])
    // Requests during an exchange wait for the next one.
    ask(35)
    expect(told.slice(2)).toEqual([{ minute: at(0), requests: [26] }])
    await rates.share()
    await rates.share()
    expect(told.slice(3)).toEqual([{ minute: at(0), requests: [53] }])
  })

  test('a caller at full speed is shared thirty times, not a hundred', async () => {
    const { told, ask } = telling()
    for (let n = 0; n < 200; n++) {
      ask(1)
      await setImmediate()
    }
    expect(told.length).toBeLessThan(35)
    expect(told.at(-1)).toEqual({ minute: at(0), requests: [100] })
  })

  test('counts of other processes apply for the minute; refusals are not shared', async () => {
    const { rates, told, ask, answering, moveTo } = telling()
    answering(async (_minute, counts) => counts.map(({ caller }) => ({ caller, requests: 70 })))
    ask(10)
    await rates.share()
    expect(ask(1)).toMatchObject({ isOver: false, remaining: 19 })
    expect(ask(19)).toMatchObject({ isOver: false, remaining: 0 })
    expect(ask(1)).toMatchObject({ isOver: true, remaining: 0 })
    await rates.share()
    await rates.share()
    const before = told.length
    ask(1_000)
    await rates.share()
    expect(told).toHaveLength(before)
    moveTo(at(1))
    expect(ask(1)).toMatchObject({ isOver: false, remaining: 99 })
  })

  test('an exchange across the end of a minute counts for the old one', async () => {
    const { rates, told, ask, answering, moveTo } = telling()
    const { promise, resolve } = Promise.withResolvers<void>()
    answering(async (_minute, counts) => {
      await promise
      return counts.map(({ caller }) => ({ caller, requests: 95 }))
    })
    ask(10)
    moveTo(at(1))
    ask(5)
    resolve()
    await rates.share()
    expect(told).toEqual([{ minute: at(0), requests: [10] }])
    expect(ask(1).remaining).toBe(94)
  })

  test('without answers, requests cause no retries, and counting continues', async () => {
    const { rates, told, ask, answering } = telling()
    answering(async () => Promise.reject(new Error('away')))
    ask(50)
    await expect(rates.share()).rejects.toThrow('away')
    ask(49)
    expect(told).toHaveLength(1)
    await expect(rates.share()).rejects.toThrow('away')
    expect(ask(1)).toMatchObject({ isOver: false, remaining: 0 })
    expect(ask(1).isOver).toBe(true)
    answering(async () => [])
    await rates.share()
    expect(told.map(({ requests }) => requests)).toEqual([[10], [99], [100]])
  })
})

describe.each(databases)('servers on one $name database', (testDatabase) => {
  let context: TestContext
  let other: TestContext
  const now = () => at(0)
  beforeAll(async () => {
    context = await openContext(testDatabase, { now })
    other = contextOn(context, { now })
  })
  afterAll(async () => {
    await other.dispose()
    await context.dispose()
  })
  const rows = async (database: Database) =>
    (await database.query<{ requests: number }>('select * from request_counts')).rows

  test('an account that asks two by turns has its limit once; embedded, where there is but one server, nothing is written', async () => {
    const servers = [requestRatesOf(context), requestRatesOf(other)]
    let passed = 0
    for (let n = 0; n < 300; n++) {
      if (!servers[n % 2]!.count('account', 'ann', 100).isOver) passed++
      if (n % 20 === 19) for (const server of servers) await server.share()
    }
    const told = await rows(context.database)
    if (testDatabase.name === 'embedded') {
      expect(passed).toBe(200)
      expect(told).toEqual([])
      return
    }
    expect(passed).toBeGreaterThanOrEqual(100)
    expect(passed).toBeLessThanOrEqual(120)
    expect(told.map(({ requests }) => requests).reduce((sum, n) => sum + n)).toBe(passed)
    expect(JSON.stringify(told)).not.toContain('ann')
  })
})
