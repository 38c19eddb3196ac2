import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { isUnavailable } from '../errors/unavailable.ts'
import { databases } from '../testing/databases.ts'
import { LookUps, poolForLookUps } from './look-ups.ts'
import { openDatabase } from './open.ts'

/** Ignores errors: a pool ends slightly before its connections, which may meet the end of their database. */
const deaf = (pool: pg.Pool): pg.Pool =>
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined))

const server = databases.find(({ name }) => name === 'server')!

test('a connection that is silent for too long is given up, with all that was asked on it; the next has a new one', async () => {
  const { settings, dispose } = await server.settings()
  const database = await openDatabase(settings)
  const pool = deaf(poolForLookUps({ connectionString: settings.url }, 500))
  const lookUps = new LookUps(pool)
  const backend = async (): Promise<number> => {
    const asked = { text: 'select pg_backend_pid() as pid, (select count(*) from accounts)' }
    return (await lookUps.query(asked)).rows[0].pid
  }
  const before = await backend()
  const asked = await database.transact(async (tx) => {
    await tx.query('lock table accounts')
    return Promise.allSettled(Array.from({ length: 5 }, () => backend()))
  })
  expect(asked.map((one) => one.status === 'rejected' && isUnavailable(one.reason))).toEqual(
    Array(5).fill(true),
  )
  expect(await backend()).not.toBe(before)
  await pool.end()
  await database.close()
  await dispose()
})

test('other waiters get the connection before later look-ups', async () => {
  const { settings, dispose } = await server.settings()
  const pool = deaf(poolForLookUps({ connectionString: settings.url }))
  const lookUps = new LookUps(pool)
  const order: string[] = []
  const ask = (name: string) => lookUps.query({ text: 'select pg_sleep(0.1)' }).then(() => order.push(name))
  await ask('connected')
  const first = ask('first')
  await setImmediate()
  const other = pool.connect().then((client) => {
    order.push('other')
    client.release()
  })
  // If these joined the first, a stream of look-ups would occupy the connection forever.
  await Promise.all([first, other, ask('second'), ask('third')])
  expect(order).toEqual(['connected', 'first', 'other', 'second', 'third'])
  await pool.end()
  await dispose()
})

test('look-ups use the shared connection, other statements one of the pool', async () => {
  const { database, dispose } = await server.open()
  const text = 'select pg_backend_pid() as pid, $1::int as at'
  const asked = [
    ...[1, 2].map((at) => database.lookUp<{ pid: number; at: number }>(text, [at], 'who')),
    ...[undefined, 'named'].map((name) => database.query<{ pid: number; at: number }>(text, [3], name)),
  ]
  const [first, second, ...others] = (await Promise.all(asked)).map(({ rows }) => rows[0]!)
  expect([first!.at, second]).toEqual([1, { pid: first!.pid, at: 2 }])
  for (const { pid } of others) expect(pid).not.toBe(first!.pid)
  await dispose()
})
