import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@ulmus/client'
import { databases, serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addOrg } from '../testing/serve.ts'
import { pushVersion, type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

interface Shown {
  seq: number
  kind: string
  collection: { slug: string }
  semver?: string
}

/** Counts requests for events from now on. The returned function resolves when so many have arrived, and begun to wait. */
function arrivals({ server }: Stage): (count: number) => Promise<void> {
  const arrived = vi.spyOn(server.registry.events, 'list')
  return async (count) => {
    await expect.poll(() => arrived.mock.calls.length).toBe(count)
    arrived.mockRestore()
    await wait(300)
  }
}

describe.each(serviceDatabases)('GET /api/events on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
  })
  afterAll(() => stage.end())

  const page = async (client: TestClient, query: string) => (await client.get(`/events?${query}`)).json
  const latest = async () => (await page(stage.anyone, 'after=latest')).next as number
  /** Every event after a number, once the sequencer has come by. */
  const settled = async (client: TestClient, after: number, count: number, more = '') => {
    const found: Shown[] = []
    for (let next = after, tries = 0; found.length < count && tries < 60; tries++) {
      const got = await page(client, `after=${next}&wait=1${more}`)
      found.push(...got.events)
      next = got.next
    }
    return found
  }
  const facts = (events: Shown[]) => events.map(({ kind, semver }) => [kind, semver])

  test('a version, a metadata update and a withdrawal are events with the address of what changed', async () => {
    const after = await latest()
    const { path, id, slug } = await stage.newCollection()
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [{ id: '1', type: 'A', data: {} }] })
    await ada.patch(`${path}/metadata`, { license: 'MIT' })
    await (await stage.keyOfAda('admin')).post(`${path}/versions/v1.0.0/withdraw`, { reason: 'wrong' })
    const events = await settled(stage.anyone, after, 4)
    expect(events).toMatchObject([
      {
        kind: 'collection.made',
        collection: { id, owner: 'ada', slug },
        url: `${stage.server.url}/api${path}`,
      },
      { kind: 'version.made', semver: 'v1.0.0', bump: 'major' },
      { kind: 'version.made', semver: 'v1.0.1', bump: 'patch' },
      { kind: 'version.withdrawn', semver: 'v1.0.0', url: `${stage.server.url}/api${path}/versions/v1.0.0` },
    ])
    expect(events[3]).not.toHaveProperty('bump')
    const only = await page(stage.anyone, `after=${after}&collection=ada/${slug}&kind=version.withdrawn`)
    expect(only.events).toEqual([events[3]])
    const owned = await page(stage.anyone, `after=${after}&owner=eve`)
    expect(owned.events).toEqual([])
  })

  test('members alone see private events, also with keys, and no longer after they left', async () => {
    const after = await latest()
    const session = await stage.server.signIn('ada')
    const org = testClient(stage.server.url, await stage.server.keyFor(session.cookie, 'admin'))
    await addOrg(stage.server, session, 'guild', { eve: 'member' })
    const made = await org.post('/accounts/guild/collections', { slug: 'secret' })
    await pushVersion(org, '/collections/guild/secret', { opening: { schemas: { A: {} } } })
    const other = await stage.newCollection({ public: false })
    const limited = await stage.keyOfAda('read', made.json.id)
    expect(facts(await settled(org, after, 3))).toEqual([
      ['collection.made', undefined],
      ['version.made', 'v1.0.0'],
      ['collection.made', undefined],
    ])
    expect(facts(await settled(stage.eve, after, 2))).toHaveLength(2)
    expect(facts(await settled(limited, after, 2))).toHaveLength(2)
    expect((await page(stage.anyone, `after=${after}`)).events).toEqual([])
    for (const query of [
      'collection=guild/secret',
      `collection=ada/${other.slug}`,
      'collection=guild/absent',
    ])
      expect((await stage.anyone.get(`/events?${query}`)).status).toBe(404)
    const left = await org.delete('/accounts/guild/members/eve')
    expect(left.status).toBe(200)
    expect((await page(stage.eve, `after=${after}`)).events).toEqual([])
  })

  test('a version in which only private things changed is no event for outsiders', async () => {
    const { path } = await stage.newCollection()
    const schema = { properties: { a: {}, b: { private: true } } }
    await stage.push(path, {
      opening: { schemas: { A: schema } },
      puts: [{ id: '1', type: 'A', data: { b: 'x' } }],
    })
    await stage.push(path, { base: 'v1.0.0', puts: [{ id: '1', type: 'A', data: { b: 'y' } }] })
    const query = `collection=${path.slice('/collections/'.length)}&kind=version.made`
    expect(await settled(ada, 0, 2, `&${query}`)).toHaveLength(2)
    const outside = await page(stage.anyone, `after=0&${query}`)
    expect(facts(outside.events)).toEqual([['version.made', 'v1.0.0']])
  })

  test('a waiting request is answered within two seconds of a change, and otherwise at its end', async () => {
    const after = await latest()
    const { path } = await stage.newCollection()
    await settled(stage.anyone, after, 1)
    const began = performance.now()
    expect(await page(stage.anyone, 'after=latest&wait=1')).toMatchObject({ events: [] })
    expect(performance.now() - began).toBeGreaterThan(990)
    const arrived = arrivals(stage)
    const waiting = page(stage.anyone, 'after=latest&wait=30')
    const uninterested = page(stage.anyone, 'after=latest&wait=3&kind=collection.deleted')
    await arrived(2)
    await stage.push(path, { opening: { schemas: { A: {} } } })
    const pushed = performance.now()
    expect(facts((await waiting).events)).toEqual([['version.made', 'v1.0.0']])
    expect(performance.now() - pushed).toBeLessThan(5_000)
    expect((await uninterested).events).toEqual([])
  })

  test('a client follows events from one request to the next', async () => {
    const client = createClient({ baseUrl: stage.server.url })
    const stop = new AbortController()
    const seen: string[] = []
    const arrived = arrivals(stage)
    const following = (async () => {
      for await (const { kind } of client.events.follow({ after: 'latest', signal: stop.signal })) {
        seen.push(kind)
        if (seen.length === 3) return
      }
    })()
    await arrived(1)
    const { path } = await stage.newCollection()
    await wait(1_500)
    await stage.push(path, { opening: { schemas: { A: {} } } })
    await wait(2_500)
    await ada.delete(path)
    await following
    expect(seen).toEqual(['collection.made', 'version.made', 'collection.deleted'])
  })

  test('a caller has a share of the requests that may wait, and others still may', async () => {
    const few = await setStage(database, { connectionsMax: 16 })
    const arrived = arrivals(few)
    const waiting = [1, 2].map(() => few.anyone.get('/events?after=latest&wait=30'))
    await arrived(2)
    const third = await few.anyone.get('/events?after=latest&wait=30')
    expect([third.status, third.json.code]).toEqual([429, 'busy'])
    expect((await few.eve.get('/events?after=latest&wait=1')).status).toBe(200)
    // An event ends the waiting.
    await few.newCollection()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
    await few.end()
  })

  test('parameters that make no sense are refused', async () => {
    for (const query of ['after=-1', 'after=x', 'wait=31', 'kind=x', 'collection=x', 'seq=1'])
      expect([query, (await stage.anyone.get(`/events?${query}`)).status]).toEqual([query, 400])
  })
})

test('a server that closes answers those that wait', async () => {
  const stage = await setStage(databases[1]!)
  const arrived = arrivals(stage)
  const waiting = stage.anyone.get('/events?after=latest&wait=30')
  await arrived(1)
  const began = performance.now()
  await Promise.all([stage.end(), waiting])
  expect((await waiting).json).toMatchObject({ events: [] })
  expect(performance.now() - began).toBeLessThan(5_000)
})
