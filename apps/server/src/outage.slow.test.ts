/** The log of a server whose database goes away and returns. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databases } from '@ulmus/storage/testing'
import { TcpProxy } from '@ulmus/storage/testing/tcp-proxy'
import { expect, test } from 'vitest'
import { keyFor, signIn } from './testing/browser.ts'
import { startProcess } from './testing/server-process.ts'
import { testClient } from './testing/test-client.ts'

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly seconds?: number
}

test('one line when the database goes, one when it returns with the seconds, none between', async () => {
  await using ending = new AsyncDisposableStack()
  const rows = await databases.find(({ name }) => name === 'server')!.settings()
  ending.defer(rows.dispose)
  const url = new URL(rows.settings.url!)
  const proxy = await TcpProxy.before({ host: url.hostname, port: Number(url.port) })
  ending.defer(() => proxy.close())
  Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) })
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-outage-'))
  ending.defer(() => rmSync(folder, { recursive: true, force: true }))
  const server = await startProcess({ DATABASE_URL: url.href, DATA_DIR: folder })
  ending.defer(async () => void (await server.end('SIGTERM')))
  const { cookie } = await signIn(server.url, { login: 'ada' })
  const ada = testClient(server.url, await keyFor(server.url, cookie, 'admin'))
  expect((await ada.post('/accounts/ada/collections', { slug: 'birds' })).status).toBe(201)

  const before = server.output.out.length
  await proxy.become({ kind: 'refuse' })
  const outage = 12_000
  const statuses = new Set<number>()
  for (const until = performance.now() + outage; performance.now() < until; await sleep(100)) {
    const answers = await Promise.all([
      ada.get('/collections/ada/birds'),
      ada.post('/accounts/ada/collections', { slug: 'more' }),
      fetch(`${server.url}/ada/birds`, { headers: { accept: 'text/html' } }),
      fetch(`${server.url}/readyz`),
    ])
    for (const { status } of answers) statuses.add(status)
  }
  expect([...statuses]).toEqual([503])
  await proxy.become({ kind: 'pass' })
  await expect
    .poll(async () => (await ada.get('/collections/ada/birds')).status, { timeout: 30_000 })
    .toBe(200)
  await expect.poll(() => server.output.out, { timeout: 30_000 }).toContain('answers again')
  // Tasks that wait between two runs.
  await sleep(5_000)
  const lines = server.output.out
    .slice(before)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine)
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(
      /^The database does not answer: .+\. Requests that need it get 503 until it does\.$/,
    ),
    expect.stringMatching(/^The database answers again, after \d+ s\.$/),
  ])
  expect(lines[1]!.seconds).toBeGreaterThanOrEqual(11)
})
