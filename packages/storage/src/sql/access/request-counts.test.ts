import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../database/database.ts'
import { databases } from '../../testing/databases.ts'
import { type CountOfCaller, dropRequestCounts, shareRequestCounts } from './request-counts.ts'

describe.each(databases)('counts of requests on $name', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const minutes = [0, 1, 2, 3].map((n) => new Date(Date.UTC(2026, 5, 15, 12, n)))
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
  const share = async (process: string, minute: number, counts: Record<string, number>) => {
    const told = Object.entries(counts).map(([caller, requests]) => ({ caller, requests }))
    const others = await database.transactOnce((tx) =>
      shareRequestCounts(tx, { process, minute: minutes[minute]!, counts: told }),
    )
    return Object.fromEntries(others.map(({ caller, requests }: CountOfCaller) => [caller, requests]))
  }
  const rows = async () => {
    const { rows } = await database.query(
      `select extract(minute from minute)::integer as minute, caller, requests from request_counts order by 1, 2, 3`,
    )
    return rows.map(({ minute, caller, requests }) => [minute, caller, requests])
  }

  test('each process hears what all others have told of those it asks for, in that minute', async () => {
    expect(await share(first, 0, { ann: 10, ben: 5 })).toEqual({})
    expect(await share(second, 0, { ann: 7 })).toEqual({ ann: 10 })
    expect(await share(third, 0, { ann: 1, ben: 1 })).toEqual({ ann: 17, ben: 5 })
    // Shares send totals, not increments: a repeated one counts nothing twice.
    expect(await share(first, 0, { ann: 12 })).toEqual({ ann: 8 })
    expect(await share(second, 0, { ann: 7 })).toEqual({ ann: 13 })
    expect(await share(first, 1, { ann: 1 })).toEqual({})
  })

  test('counts older than the minute before are dropped by later shares, and by expiry', async () => {
    await share(second, 2, { ann: 3 })
    expect(await rows()).toEqual([
      [1, 'ann', 1],
      [2, 'ann', 3],
    ])
    await database.transactOnce((tx) => dropRequestCounts(tx, minutes[2]!))
    expect(await rows()).toEqual([[2, 'ann', 3]])
    await database.transactOnce((tx) => dropRequestCounts(tx, minutes[3]!))
    expect(await rows()).toEqual([])
  })

  test('processes that tell of the same callers at the same time do not hinder each other', async () => {
    const callers = Array.from({ length: 500 }, (_, n) => `caller ${n}`)
    const countsOf = (names: string[]) => Object.fromEntries(names.map((name) => [name, 1]))
    const [some, back] = [countsOf(callers), countsOf(callers.toReversed())]
    for (let round = 0; round < 5; round++)
      await Promise.all([share(first, 3, some), share(second, 3, back), share(third, 3, some)])
    expect(Object.values(await share(first, 3, some))).toEqual(callers.map(() => 2))
  })

  test('they are in no write-ahead log', async () => {
    const { rows } = await database.query(
      "select relpersistence from pg_class where relname like 'request_counts%'",
    )
    expect(new Set(rows.map(({ relpersistence }) => relpersistence))).toEqual(new Set(['u']))
  })
})
