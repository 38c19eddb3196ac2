import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { outagesOf, quietLog } from './outage.ts'

let told: string[]
const tell = (level: string) => (_fields: object, line: string) => void told.push(`${level}: ${line}`)
const log = { info: tell('info'), warn: tell('warn'), error: tell('error') }
let isThere: boolean
const ping = async () => {
  if (!isThere) throw new Error('no')
}

beforeEach(() => {
  told = []
  isThere = true
})

test('errors of an outage make one line, and its end another with the seconds', async () => {
  const outages = outagesOf(log)
  outages.lost(new Error('before the database is open'))
  outages.watch({ ping })
  isThere = false
  for (let i = 0; i < 20; i++) outages.lost(new AggregateError([new Error('connect ECONNREFUSED')], ''))
  await sleep(50)
  outages.lost(new Error('another'))
  isThere = true
  await vi.waitUntil(() => told.length > 1, { timeout: 20_000 })
  // A statement that waited until now is part of the same outage.
  outages.lost(new Error('a straggler'))
  await sleep(50)
  expect(told).toEqual([
    'error: The database does not answer: connect ECONNREFUSED. Requests that need it get 503 until it does.',
    expect.stringMatching(/^info: The database answers again, after [1-9]\d* s\.$/),
  ])
  outages.close()
})

test('a server that is away, and then refuses this one, has a line for each', async () => {
  const outages = outagesOf(log)
  const faults = [
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    ...Array(2).fill(
      Object.assign(new Error('password authentication failed for user "u"'), { code: '28P01' }),
    ),
  ]
  outages.watch({
    ping: async () => {
      if (faults.length > 0) throw faults.shift()
    },
  })
  outages.lost(faults[0] as Error)
  await vi.waitUntil(() => told.length > 2, { timeout: 20_000 })
  expect(told).toEqual([
    expect.stringMatching(/^error: The database does not answer: connect ECONNREFUSED\./),
    'error: The database server does not let this account in: password authentication failed for user "u". Correct user and password in DATABASE_URL. Requests that need the database get 503 until then.',
    expect.stringMatching(/^info: The database answers again, after [1-9]\d* s\.$/),
  ])
  outages.close()
})

test('a lost connection to a database that answers is one line', async () => {
  const outages = outagesOf(log)
  outages.watch({ ping })
  for (let i = 0; i < 3; i++) {
    outages.lost(new Error('Connection terminated.'))
    await sleep(20)
  }
  expect(told).toEqual(['warn: A database connection was lost: Connection terminated. The database answers.'])
})

test('a closed one is quiet', async () => {
  const outages = outagesOf(log)
  outages.watch({ ping })
  isThere = false
  outages.lost(new Error('the end'))
  outages.close()
  await sleep(50)
  outages.lost(new Error('later'))
  expect(told).toEqual([])
})

test('other errors are in the log', () => {
  const quiet = quietLog(log)
  quiet.error({ err: Object.assign(new Error('no provider'), { code: 'ECONNREFUSED' }) }, 'a request failed')
  quiet.warn({}, 'a warning')
  expect(told).toEqual(['error: a request failed', 'warn: a warning'])
})
