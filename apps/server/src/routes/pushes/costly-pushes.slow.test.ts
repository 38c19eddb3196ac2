/** Schemas with unbounded validation time, over HTTP: effect on other requests, and time limits. */
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { put, type Stage, setStage } from '../../testing/stage.ts'
import { ndjson, type TestClient } from '../../testing/test-client.ts'

const branch = { properties: { x: { $ref: '#/$defs/a' } }, required: ['x'] }
/** Doubles the work at every level of the data. */
const doubling = (title: string) => ({
  ...{ title, properties: { x: { $ref: '#/$defs/a' } } },
  $defs: { a: { anyOf: [branch, { ...branch, title: 'again' }] } },
})
let deep: object = { leaf: 1 }
for (let level = 0; level < 55; level++) deep = { x: deep }

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1_000))

describe('costly pushes', () => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(databases[0]!)
    ada = stage.ada
  })
  afterAll(() => stage.end())

  const openedWith = async (title: string) =>
    stage.opened((await stage.newCollection()).path, { opening: { schemas: { A: doubling(title) } } })

  test('a batch ends when its session is cancelled', async () => {
    const session = await openedWith('cancelled')
    const sent = ada.lines(`${session}/records`, [put('1', deep)])
    await seconds(1)
    expect((await ada.delete(session)).status).toBe(204)
    expect(await sent).toMatchObject({
      status: 409,
      json: { code: 'push_not_open', status: 'cancelled' },
    })
  })

  test('a batch ends when its connection is closed, before it is found too costly', async () => {
    const session = await openedWith('left')
    const leaving = new AbortController()
    const url = `${stage.server.url}/api${session}/records`
    const { cookie } = await stage.server.signIn('ada')
    const key = await stage.server.keyFor(cookie, 'write')
    const headers = { ...ndjson, authorization: `Bearer ${key}` }
    const body = JSON.stringify(put('1', deep))
    const sent = fetch(url, { method: 'POST', headers, body, signal: leaving.signal })
    await seconds(1)
    leaving.abort()
    await expect(sent).rejects.toThrow()
    await seconds(9)
    // Otherwise these schemas would be refused for a minute.
    expect((await ada.lines(`${session}/records`, [put('1')])).json).toEqual({ received: 1 })
  })

  test('six of one account do not delay the push of another, and are refused within seconds', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, (_, i) => openedWith(`one of six: ${i}`)))
    const before = process.cpuUsage()
    const answers = sessions.map((session) => ada.lines(`${session}/records`, [put('1', deep)]))
    await seconds(1)
    const { eve } = stage
    const path = '/collections/eve/quick'
    expect((await eve.post('/accounts/eve/collections', { slug: 'quick', public: true })).status).toBe(201)
    const opening = { base_version: null, schemas: { A: {} } }
    const session = `${path}/pushes/${(await eve.post(`${path}/pushes`, opening)).json.session_id}`
    const lines = Array.from({ length: 1_000 }, (_, i) => put(String(i), { i }))
    const began = performance.now()
    expect((await eve.lines(`${session}/records`, lines)).json).toEqual({ received: 1_000 })
    expect((await eve.post(`${session}/commit`)).status).toBe(201)
    // Less than a second, unless a busy machine takes seconds to start a thread.
    expect(performance.now() - began).toBeLessThan(15_000)
    for (const answer of await Promise.all(answers)) expect(answer.json).toMatchObject({ code: 'too_costly' })
    const { user, system } = process.cpuUsage(before)
    // Six limits of 5 s. A thread that never pauses reports no CPU time, and a quarter of the time that passes counts instead.
    expect((user + system) / 1e6).toBeLessThan(6 * 5 * 4 + 15)
  }, 400_000)
})
