/** A server behind a network that forgets connections. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { firstGood } from '../../../content/src/testing/measured.ts'
import { isUnavailable } from '../errors/unavailable.ts'
import { databases } from '../testing/databases.ts'
import { TcpProxy } from '../testing/tcp-proxy.ts'
import type { Database } from './database.ts'
import { openServer } from './server.ts'

const testDatabase = databases.find(({ name }) => name === 'server')!
const silenceMilliseconds = 400

let ending: AsyncDisposableStack
let database: Database
let proxy: TcpProxy
let told: string[]

beforeEach(async () => {
  ending = new AsyncDisposableStack()
  told = []
  const { settings, dispose } = await testDatabase.settings()
  ending.defer(dispose)
  const url = new URL(settings.url!)
  proxy = await TcpProxy.before({ host: url.hostname, port: Number(url.port) })
  ending.defer(() => proxy.close())
  url.port = String(proxy.port)
  const log = (line: string) => void told.push(line)
  database = await openServer({ url: url.href, poolMax: 3, log, silenceMilliseconds })
  ending.defer(() => database.close())
})
afterEach(() => ending.disposeAsync())

const one = () => database.query('select 1 as one')

test('queries on forgotten connections are rejected, and later ones get new connections', async () => {
  await Promise.all([one(), one()])
  await proxy.become({ kind: 'pass' }, { forgetting: true })
  const asked = await Promise.allSettled([one(), one(), database.transact((tx) => tx.query('select 1'))])
  const failed = asked.filter((each) => each.status === 'rejected')
  expect(failed.length).toBeGreaterThanOrEqual(2)
  for (const { reason } of failed) expect(isUnavailable(reason)).toBe(true)
  expect(told.join()).toContain('given up')
  expect((await one()).rows).toEqual([{ one: 1 }])
})

test('a statement that takes long is left alone, and so is a transaction that pauses', async () => {
  const seconds = (silenceMilliseconds * 5) / 1_000
  const attempt = async () => {
    told = []
    const long = database.query('select pg_sleep($1)', [seconds])
    const paused = database.transact(async (tx) => {
      await tx.query('select 1')
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
      return tx.query<{ two: number }>('select 2 as two')
    })
    const [, end] = await Promise.allSettled([long, paused])
    return { told, end }
  }
  // A machine that pauses for longer than the test's silence looks like a network that forgot.
  const last = await firstGood(attempt, (one) => one.told.length === 0)
  expect(last).toMatchObject({ told: [], end: { value: { rows: [{ two: 2 }] } } })
})
