/** Log lines of requests and of operator events, and the secrets that they must not contain. */
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../testing/serve.ts'
import { testClient } from '../../testing/test-client.ts'

const [embedded] = databases
const secret = 'k9Wx-secret'

interface Line {
  readonly [fact: string]: unknown
}

/** A server, and its log lines so far. */
async function serveLogging(requestLog = { requests: true, accounts: true, addresses: true }) {
  const { settings, dispose } = await embedded!.settings()
  const lines: Line[] = []
  const texts: string[] = []
  const logTo = {
    write(line: string) {
      texts.push(line)
      lines.push(JSON.parse(line) as Line)
    },
  }
  const server = await serveForTest(settings, { logLevel: 'info', requestLog, logTo })
  const close = async () => {
    await server.close()
    await dispose()
  }
  return { server, lines, texts, close }
}

const answered = (lines: readonly Line[], path: string) =>
  lines.find((line) => line['msg'] === 'answered' && line['path'] === path)

describe('the log at level info', () => {
  let log: Awaited<ReturnType<typeof serveLogging>>
  let server: TestServer
  let key: string
  let cookie: string
  beforeAll(async () => {
    log = await serveLogging()
    server = log.server
    cookie = (await server.signIn('ann')).cookie
    key = await server.keyFor(cookie, 'admin')
  })
  afterAll(() => log.close())

  const putMember = (org: string) =>
    testClient(server.url, key).put(`/accounts/${org}/members/bob`, { role: 'member' })

  test('a request: account, method, path, status, duration, address', async () => {
    const ann = testClient(server.url, key)
    await ann.post('/accounts/ann/collections', { slug: 'cities', name: secret, public: true })
    await testClient(server.url).get(`/collections?q=${secret}`)
    expect(answered(log.lines, '/api/accounts/ann/collections')).toMatchObject({
      ...{ level: 30, method: 'POST', status: 201, account: 'ann', address: '127.0.0.1' },
      ...{ milliseconds: expect.any(Number), reqId: expect.any(String) },
    })
    expect(answered(log.lines, '/api/collections')).toMatchObject({
      ...{ method: 'GET', status: 200, account: null },
    })
  })

  test('who asks whether the server lives, several times a minute, is not in it', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(`${server.url}${path}`)
    expect(
      log.lines.filter(({ path }) => ['/healthz', '/readyz', '/metrics'].includes(String(path))),
    ).toEqual([])
  })

  test('a proxy that no setting names is in it once', async () => {
    const hints = () => log.lines.filter(({ msg }) => String(msg).includes('TRUST_PROXY is off'))
    expect(hints()).toEqual([])
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    for (let n = 0; n < 3; n++) await fetch(`${server.url}/api/collections`, { headers })
    expect(hints()).toEqual([expect.objectContaining({ level: 40, peer: '127.0.0.1' })])
  })

  test('no key, cookie, query or body is in it', async () => {
    // Earlier tests made keys, signed in (with codes in queries), and sent the secret in a body and in a query.
    await fetch(`${server.url}/api/collections?q=${secret}`, {
      headers: {
        authorization: `Bearer ${key}`,
        'user-agent': secret,
        referer: `https://other.example/${secret}`,
      },
    })
    const text = log.texts.join('')
    const [, sessionToken] = cookie.split('=', 2)
    for (const hidden of [secret, key, sessionToken!, 'code=', 'Bearer']) expect(text).not.toContain(hidden)
    expect(sessionToken!.length).toBeGreaterThan(20)
  })

  test('what an operator must know: sign-in, keys, members, visibility, deletion', async () => {
    const ann = testClient(server.url, key)
    await server.signIn('bob')
    const { json } = await ann.post('/accounts/keys', { label: secret, scope: 'read' })
    await ann.delete(`/accounts/keys/${json.id}`)
    await ann.post('/accounts', { slug: 'guild', displayName: secret })
    await putMember('guild')
    await ann.delete('/accounts/guild/members/bob')
    await ann.post('/accounts/guild/collections', { slug: 'maps', public: false })
    const change = (body: object) => ann.patch('/collections/guild/maps', body)
    await change({ public: true })
    await change({ slug: 'charts', public: true })
    await ann.delete('/collections/guild/charts')
    await ann.delete('/accounts/guild')
    const events = log.lines.filter(({ event }) => event !== undefined)
    expect(events.map(({ event }) => event).filter((event) => event !== 'key.first_used')).toEqual([
      ...['account.signed_in', 'key.made', 'account.signed_in', 'key.made', 'key.revoked'],
      ...['organization.made', 'member.set', 'member.removed', 'collection.visibility', 'collection.renamed'],
      ...['collection.deleted', 'account.deleted'],
    ])
    const last = (event: string) => events.findLast((one) => one['event'] === event)!
    expect(last('account.signed_in')).toMatchObject({ actor: 'bob' })
    expect(last('member.set')).toMatchObject({ actor: 'ann', target: 'bob', role: 'member' })
    expect(last('collection.visibility')).toMatchObject({ actor: 'ann', target: 'guild/maps', public: true })
    // The id of the key that was used.
    expect(last('member.set')['byKey']).toBe(events.find(({ event }) => event === 'key.made')!['target'])
    expect(log.texts.join('')).not.toContain(secret)
  })

  test('nor is the token of an invitation, which works for any holder', async () => {
    const ann = testClient(server.url, key)
    await ann.post('/accounts', { slug: 'choir', displayName: 'Choir' })
    const { json } = await ann.post('/accounts/choir/invitations', { email: 'a@b.example', role: 'owner' })
    await fetch(String(json.url), { redirect: 'manual' })
    await ann.post(`/invitations/${json.token}`, { accept: false })
    expect(answered(log.lines, '/invitations/:token')).toBeDefined()
    expect(answered(log.lines, '/api/invitations/:token')).toBeDefined()
    expect(log.texts.join('')).not.toContain(json.token)
  })

  test('what was refused did not happen', async () => {
    const before = log.lines.filter(({ event }) => event !== undefined).length
    await testClient(server.url).post('/accounts', { slug: 'refused', displayName: 'Refused' })
    await putMember('ann')
    expect(log.lines.filter(({ event }) => event !== undefined)).toHaveLength(before)
  })
})

test('each can be switched off', async () => {
  const log = await serveLogging({ requests: true, accounts: false, addresses: false })
  await fetch(`${log.server.url}/api/collections`)
  const line = answered(log.lines, '/api/collections')
  expect(line).toMatchObject({ method: 'GET', status: 200 })
  expect(Object.keys(line!)).not.toContain('account')
  expect(Object.keys(line!)).not.toContain('address')
  await log.close()

  const quiet = await serveLogging({ requests: false, accounts: true, addresses: true })
  await fetch(`${quiet.server.url}/api/collections`)
  expect(quiet.lines.filter(({ msg }) => msg === 'answered')).toEqual([])
  await quiet.close()
})
