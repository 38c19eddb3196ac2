/** Servers on one PostgreSQL share rate limits; without the database, each server applies them alone. */
import { databases } from '@ulmus/storage/testing'
import { TcpProxy } from '@ulmus/storage/testing/tcp-proxy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DatabaseSettings, serveForTest, stoppedClock, type TestServer } from '../../testing/serve.ts'

const now = stoppedClock()
const rateLimits = { anonymous: 200, account: 300, signIn: 400, reports: 10 }

describe('two servers on one database', () => {
  let servers: TestServer[]
  let dispose: () => Promise<void>
  beforeAll(async () => {
    const made = await databases[1]!.settings()
    dispose = made.dispose
    const first = await serveForTest(made.settings, { rateLimits, now })
    const second = await serveForTest(made.settings, { rateLimits, now, dataFolder: first.dataFolder })
    servers = [first, second]
  })
  afterAll(async () => {
    for (const server of servers.toReversed()) await server.close()
    await dispose()
  })

  /** Sends requests to both servers alternately. */
  const byTurns = async (times: number, path: string, headers: Record<string, string>) => {
    const answers: Response[] = []
    for (let n = 0; n < times; n++)
      answers.push(await fetch(`${servers[n % 2]!.url}${path}`, { headers, redirect: 'manual' }))
    return answers
  }
  /** Both servers must refuse in the end. Together they admit the limit, plus requests sent before one knew of the other's count. */
  const expectLimit = (answers: Response[], limit: number, usedBefore = 0) => {
    const passed = answers.filter(({ status }) => status === 200).length + usedBefore
    expect(passed).toBeGreaterThanOrEqual(limit)
    expect(passed).toBeLessThanOrEqual(limit * 1.1)
    for (const { status, headers } of answers.slice(-2)) {
      const [most, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
        headers.get(`ratelimit-${name}`),
      )
      expect([status, most, remaining]).toEqual([429, `${limit}`, '0'])
      expect([reset, headers.get('retry-after')]).toEqual(['40', '40'])
    }
  }

  test('an account has its limit once', async () => {
    const { cookie } = await servers[0]!.signIn('ann')
    // Sign-in already used one request of the session.
    expectLimit(await byTurns(500, '/api/accounts/me', { cookie }), rateLimits.account, 1)
  })

  test('an address has its limit once', async () => {
    expectLimit(await byTurns(350, '/api/openapi.json', {}), rateLimits.anonymous)
  })
})

test('while the database is away each server counts for itself, and so it begins', async () => {
  const { settings, dispose } = await databases[1]!.settings()
  const { url, proxy } = await behindProxy(settings)
  const server = await serveForTest({ url }, { rateLimits, now })
  await proxy.become({ kind: 'refuse' })
  const statuses: number[] = []
  for (let n = 0; n < 210; n++) statuses.push((await fetch(`${server.url}/api/openapi.json`)).status)
  expect(statuses).toEqual([...Array(200).fill(200), ...Array(10).fill(429)])
  await proxy.become({ kind: 'pass' })
  await server.close()
  await proxy.close()
  await dispose()
})

async function behindProxy(settings: DatabaseSettings): Promise<{ url: string; proxy: TcpProxy }> {
  const url = new URL(settings.url!)
  const proxy = await TcpProxy.before({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  return { url: url.href, proxy }
}
