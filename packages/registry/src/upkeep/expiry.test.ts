import {
  insertInto,
  insertMetadataJob,
  insertPush,
  insertPushSpill,
  insertSession,
  type pushes,
  requestCounts,
  vacuumTables,
} from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAccount, addCollection, addVersion, openContext, type TestContext } from '../testing/context.ts'
import { expireRows } from './expiry.ts'

const now = new Date('2026-06-15T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

describe.each(databases)('expiry on $name', (testDatabase) => {
  let context: TestContext
  let collectionId: string
  let baseId: string
  let accountId: string

  beforeAll(async () => {
    context = await openContext(testDatabase, { now: () => now })
    const account = await addAccount(context, 'ada')
    const collection = await addCollection(context, account, { slug: 'c' })
    const version = await addVersion(context, collection)
    accountId = account.id
    collectionId = collection.id
    baseId = version.id
  })
  afterAll(() => context.dispose())

  test('a metadata update can be polled for a day after its end, one that runs stays', async () => {
    const ended = async (finishedAt: Date | null) => {
      const id = newId()
      await context.database.transact(async (tx) => {
        const about = { id, collectionId, baseId, baseSemver: 'v1.0.0' }
        const job = { ...about, patch: '{}', means: {}, startedAt: hoursAgo(900) }
        const by = { accountId, credential: null, ownerId: accountId, roles: ['owner'] as const, now }
        expect(await insertMetadataJob(tx, job, 0, by)).toBe(true)
        if (finishedAt === null) return
        const end = "update metadata_jobs set status = 'completed', finished_at = $2 where id = $1"
        await tx.query(end, [id, finishedAt])
      })
      return id
    }
    await ended(hoursAgo(24.1))
    const young = await ended(hoursAgo(23.9))
    const running = await ended(null)
    await expireRows(context)
    const { rows: left } = await context.database.query('select id from metadata_jobs')
    expect(left.map(({ id }) => id).sort()).toEqual([young, running].sort())
  })

  test('a push session that ended tells its outcome for a week; open ones and what they received stay', async () => {
    const add = async (
      status: typeof pushes.$inferSelect.status,
      hours: number,
      { run = false } = {},
    ): Promise<string> => {
      const id = newId()
      await context.database.transact(async (tx) => {
        const session = {
          id,
          collectionId,
          accountId,
          kind: 'delta',
          status,
          createdAt: hoursAgo(900),
        } as const
        await insertPush(tx, { ...session, expiresAt: hoursAgo(hours) })
        if (run)
          await insertPushSpill(tx, {
            pushId: id,
            role: 'records',
            name: `spills/${id}/1`,
            entries: 1,
            bytes: 1,
          })
      })
      return id
    }
    for (const status of ['committed', 'failed', 'cancelled', 'expired'] as const) await add(status, 169)
    const stay = [
      await add('committed', 167),
      await add('open', 900),
      await add('committing', 900),
      await add('expired', 900, { run: true }),
    ]
    await expireRows(context)
    const { rows: left } = await context.database.query('select id from pushes')
    expect(left.map(({ id }) => id).sort()).toEqual(stay.sort())
    expect((await context.database.query('select from push_spills')).rows).toHaveLength(1)
  })

  test('browser sessions that ran out go, in however many transactions it takes', async () => {
    const hashes = Array.from({ length: 2_500 }, (_, index) => `ended-${index}`)
    await context.database.transact(async (tx) => {
      const then = hoursAgo(900)
      const add = (tokenHash: string, expiresAt: Date) =>
        insertSession(tx, {
          ...{ tokenHash, id: newId(), accountId, userAgent: '' },
          ...{ createdAt: then, lastUsedAt: then, expiresAt },
        })
      for (const tokenHash of hashes) await add(tokenHash, hoursAgo(0.1))
      await add('live', hoursAgo(-0.1))
    })
    await expireRows(context)
    const { rows: left } = await context.database.query('select token_hash as hash from browser_sessions')
    expect(left).toEqual([{ hash: 'live' }])
  })

  test('request counts of servers expire within an hour without new shares', async () => {
    const minutes = [hoursAgo(0.2), hoursAgo(0)]
    await context.database.transact(async (tx) => {
      const counted = { caller: 'a caller', process: newId(), requests: 1 }
      const rows = minutes.map((minute) => ({ ...counted, minute }))
      await tx.query(...insertInto(requestCounts, rows))
    })
    await expireRows(context)
    const { rows: left } = await context.database.query('select minute from request_counts')
    expect(left).toEqual([{ minute: hoursAgo(0) }])
  })

  test('vacuumed tables use the space of dead rows again', async () => {
    const bytes = async () => {
      const { rows } = await context.database.query(
        "select pg_relation_size('periodic_tasks')::integer as bytes",
      )
      return Number(rows[0]!['bytes'])
    }
    const rewrite = async () => {
      await context.database.query('update periodic_tasks set begun_at = now()')
      await vacuumTables(context.database)
    }
    await context.database.query(
      "insert into periodic_tasks select 'task ' || n, now() from generate_series(1, 5000) n",
    )
    await rewrite()
    const once = await bytes()
    for (let round = 0; round < 4; round++) await rewrite()
    expect(await bytes()).toBeLessThan(once * 1.5)
  })
})
