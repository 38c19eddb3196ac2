/** A PostgreSQL server that takes no connections of a running server any more: 503, one line when it begins, one when it ends. */
import { randomUUID } from 'node:crypto'
import { databases, onServer } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { serveForTest, type TestServer } from './testing/serve.ts'
import { testClient } from './testing/test-client.ts'

const role = `refused_${randomUUID().replaceAll('-', '')}`
const admin = inject('serverUrl')
let server: TestServer
let name: string
let key: string
let dispose: () => Promise<void>
const log: string[] = []

beforeAll(async () => {
  const made = await databases.find((one) => one.name === 'server')!.settings()
  dispose = made.dispose
  const url = new URL(made.settings.url!)
  name = url.pathname.slice(1)
  await onServer(admin, `create role ${role} login superuser`)
  url.username = role
  server = await serveForTest(
    { url: url.href },
    {
      logTo: { write: (line: string) => void log.push(line) },
      ...{ logLevel: 'info', requestLog: { requests: false, accounts: true, addresses: true } },
    },
  )
  const { cookie } = await server.signIn('ada')
  key = await server.keyFor(cookie, 'admin')
  await testClient(server.url, key).post('/accounts/ada/collections', { slug: 'birds' })
})
afterAll(async () => {
  await server.close()
  await dispose()
  await onServer(admin, `drop role ${role}`)
})

/** Of a request of the API, a page and the probe. */
const ask = async () => {
  const [collection, page, ready] = await Promise.all([
    testClient(server.url, key).get('/collections/ada/birds'),
    testClient(server.url, key, '').get('/ada/birds', { accept: 'text/html' }),
    testClient(server.url, undefined, '').get('/readyz'),
  ])
  return { statuses: [collection.status, page.status, ready.status], problems: ready.json.problems }
}
const messages = () => log.map((line) => (JSON.parse(line) as { msg: string }).msg)

test.each<[string, string, string, RegExp]>([
  [
    'a role that may not log in',
    `alter role ${role} nologin`,
    `alter role ${role} login`,
    /^The database server does not let this account in: role .* is not permitted to log in\. /,
  ],
  [
    'a database that takes no connections',
    'alter database $name allow_connections false',
    'alter database $name allow_connections true',
    /^The database server takes no connection: database .* is not currently accepting connections\. /,
  ],
  [
    'no connection to spare',
    `alter role ${role} nosuperuser connection limit 0`,
    `alter role ${role} superuser connection limit -1`,
    /^The database server has no connection to spare: too many connections for role .*\. Raise its max_connections/,
  ],
])('%s', { timeout: 120_000 }, async (_what, refuse, admit, sentence) => {
  const patience = { timeout: 60_000, interval: 200 }
  await expect.poll(async () => (await ask()).statuses, patience).toEqual([200, 200, 200])
  log.length = 0
  await onServer(admin, refuse.replace('$name', name))
  await onServer(admin, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
  // The first requests may find a connection that was just ended.
  await expect
    .poll(ask, patience)
    .toEqual({ statuses: [503, 503, 503], problems: [expect.stringContaining('refuses the connections')] })
  for (let n = 0; n < 20; n++) expect((await ask()).statuses).toEqual([503, 503, 503])
  await expect.poll(messages, patience).toContainEqual(expect.stringMatching(sentence))
  await onServer(admin, admit.replace('$name', name))
  await expect.poll(messages, patience).toContainEqual(expect.stringMatching(/answers again/))
  // A connection that was ended while it was idle may be met first.
  expect(messages().filter((line) => !/terminating connection/.test(line))).toEqual([
    expect.stringMatching(sentence),
    expect.stringMatching(/^The database answers again, after \d+ s\.$/),
  ])
  expect(log.join('')).not.toContain('stack')
})
