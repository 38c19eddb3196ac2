/** Quotas over HTTP: refusals state the usage, and operators raise the quota. http-api §11. */
import { hash } from 'node:crypto'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../testing/serve.ts'
import { ndjson, type TestClient, type TestResponse, testClient } from '../../testing/test-client.ts'

const operator = { issuer: 'urn:ulmus:development', subject: 'root' }
const bytes = (seed: string) => `${hash('sha512', seed, 'base64')}`.repeat(20)
const record = (id: string) => JSON.stringify({ id, type: 'Item', data: { text: bytes(id) } })

describe.each(serviceDatabases)('quotas on $name', ({ settings }) => {
  let server: TestServer
  let root: TestClient
  let ada: TestClient
  let dispose: () => Promise<void>
  beforeAll(async () => {
    const where = await settings()
    dispose = where.dispose
    server = await serveForTest(where.settings, { quotaBytes: 60_000, operators: [operator] })
    const by = async (name: string) =>
      testClient(server.url, await server.keyFor((await server.signIn(name)).cookie, 'admin'))
    root = await by('root')
    ada = await by('ada')
    await post('/accounts/ada/collections', { slug: 'items', public: true })
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  const post = (path: string, body: unknown = {}) => ada.post(path, body)
  const at = '/collections/ada/items'
  const send = (session: string, ids: readonly string[]) =>
    ada.request('POST', `${at}/pushes/${session}/records`, {
      body: ids.map(record).join('\n'),
      headers: ndjson,
    })
  const upload = (text: string) =>
    ada.request('PUT', `${at}/files/sha256:${hash('sha256', text)}`, { body: text, headers: {} })
  const usage = async () => (await ada.get('/accounts/ada/usage')).json
  const give = (quotaBytes: unknown, slug = 'ada') => root.patch(`/admin/accounts/${slug}`, { quotaBytes })
  const refused = ({ status, json }: TestResponse) => [status, json.code, json.quotaBytes]

  test('of an operator is a number of bytes: a size with a unit is refused with that form', async () => {
    for (const size of ['10GB', '10000000000', 1.5, true]) {
      const { status, json } = await give(size)
      expect([status, json.issues]).toEqual([
        400,
        [
          {
            path: 'quotaBytes',
            message: 'must be a number of bytes without a unit, such as 10000000000 for 10 GB, or null',
          },
        ],
      ])
    }
  })

  test('of a push, an upload, an update; with how much is used', async () => {
    const schemas = { Item: { properties: { text: { type: 'string' } } } }
    const opened = await post(`${at}/pushes`, { base_version: null, schemas })
    const session = opened.json.session_id
    expect((await send(session, ['a', 'b'])).status).toBe(200)
    expect((await usage()).receivedBytes).toBeGreaterThan(100)
    expect((await post(`${at}/pushes/${session}/commit`)).json.semver).toBe('v1.0.0')
    expect((await upload('x'.repeat(59_000))).status).toBe(201)
    const before = await usage()
    expect(before).toMatchObject({ receivedBytes: 0, quotaBytes: 60_000 })
    expect(before.collections).toEqual([{ slug: 'items', usedBytes: before.usedBytes }])
    const over = await upload('y'.repeat(2_000))
    expect(refused(over)).toEqual([413, 'quota_exceeded', 60_000])
    expect(over.json.usedBytes).toBe(before.usedBytes)
    expect(over.json.error).toContain('`ada` would exceed its quota of 60000 bytes')

    await give(1)
    const update = { note: 'n' }
    const snapshot = { base_version: 'v1.0.0', schemas, manifest: [] }
    for (const answer of [
      await upload('z'),
      await post(`${at}/pushes`, { base_version: 'v1.0.0' }),
      await post(`${at}/versions/negotiate`, snapshot),
      await ada.patch(`${at}/metadata`, update),
    ])
      expect(refused(answer)).toEqual([413, 'quota_exceeded', 1])
    const job = await ada.patch(`${at}/metadata?async=true`, update)
    expect(job.status).toBe(202)
    const ended = () => ada.get(`${at}/metadata/jobs/${job.json.job_id}`)
    await expect.poll(async () => (await ended()).json.error?.code).toBe('quota_exceeded')
    // Nothing was stored; existing data can be read and deleted.
    expect(await usage()).toEqual({ ...before, quotaBytes: 1 })
    expect((await ada.get(`${at}/versions/latest/records`)).status).toBe(200)
    expect((await ada.delete(at)).status).toBe(200)
    const empty = { usedBytes: 0, receivedBytes: 0, collections: [], organizationBytes: 0 }
    expect(await usage()).toEqual({ ...empty, quotaBytes: 1, countsAgainst: null })
  })

  test('operators give an account its own, and take it back; both is in its audit log', async () => {
    expect((await give(70_000)).status).toBe(200)
    const listed = async () => (await root.get('/admin/accounts?q=ada')).json[0]
    expect(await listed()).toMatchObject({ quotaBytes: 70_000, usedBytes: 0 })
    expect((await give(null)).status).toBe(200)
    expect((await listed()).quotaBytes).toBeNull()
    expect((await usage()).quotaBytes).toBe(60_000)
    expect((await root.get('/admin/usage')).json.quotaBytes).toBe(60_000)
    const log = (await ada.get('/accounts/ada/audit?action=account.quota')).json
    expect(log.map(({ details }: { details: object }) => details)).toEqual([
      { quotaBytes: null, before: 70_000 },
      { quotaBytes: 70_000, before: 1 },
      { quotaBytes: 1, before: null },
    ])
    for (const wrong of [-1, 0.5, '10', 2 ** 53]) expect((await give(wrong)).status).toBe(400)
    expect((await give(10, 'missing-user')).status).toBe(404)
    expect(refused(await ada.patch('/admin/accounts/ada', {}))[1]).toBe('not_an_operator')
    const ben = testClient(server.url, await server.keyFor((await server.signIn('ben')).cookie, 'read'))
    expect([
      (await ben.get('/accounts/ada/usage')).status,
      (await ben.get('/accounts/ben/usage')).status,
    ]).toEqual([403, 200])
  })
})
