import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { cursorAfter } from './cursor.ts'
import { type FaultyServer, type Reply, type Request, startFaultyServer } from './testing/faulty-server.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(handle: (request: Request) => Reply) {
  const server = await startFaultyServer(handle)
  open.push(server)
  const retry = { attempts: 3, delayMs: 5, delayMsMax: 10 }
  return { server, client: createClient({ baseUrl: server.url, retry, timeoutMs: 20_000 }) }
}

const json = (body: unknown, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers,
  body: JSON.stringify(body),
})

/** Three pages of one record each, in a collection whose latest version moves with every request. */
function pageOf(request: Request, member: (id: string) => object): object {
  const place = Number(['a', 'b'].findIndex((id) => request.query.get('cursor') === cursorAfter('T', id)) + 1)
  const id = ['a', 'b', 'c'][place]!
  const nextCursor = id === 'c' ? null : cursorAfter('T', id)
  return { ...member(id), pagination: { limit: 1, hasMore: nextCursor !== null, nextCursor } }
}

test('the pages of a difference come in turn, over failures, between the versions that were the latest at the beginning', async () => {
  const { server, client } = await start((request) =>
    json(
      pageOf(request, (id) => ({
        from: 'v1.0.0',
        to: 'v1.3.0',
        added: [{ id, type: 'T' }],
        updated: [],
        removed: [],
      })),
    ),
  )
  server.fail(/cursor/, { how: 'cut', bytes: 20 }, { how: 'status', status: 503 })
  const ids: string[] = []
  for await (const page of client.versions.diff('ada/a', '1.0.0', 'latest', { limit: 1 })) {
    ids.push(...page.added.map((record) => record.id))
  }
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(server.requests[0]).toBe('GET /api/collections/ada/a/versions/latest/diff?limit=1&from=1.0.0')
  for (const line of server.requests.slice(1)) expect(line).toMatch(/v1\.3\.0\/diff\?.*from=v1\.0\.0&cursor=/)
  expect(server.requests).toHaveLength(5)
})

test('a caller that stops early requests no further page', async () => {
  const { server, client } = await start((request) =>
    json(pageOf(request, (id) => ({ semver: 'v2.0.0', records: [{ id, type: 'T', hash: '' }] }))),
  )
  for await (const page of client.versions.manifest('ada/a')) {
    expect(page.records?.map((record) => record.id)).toEqual(['a'])
    break
  }
  expect(server.requests).toEqual(['GET /api/collections/ada/a/versions/latest/manifest'])
  const ids: string[] = []
  const after = cursorAfter('T', 'a')
  for await (const page of client.versions.manifest('ada/a', 'latest', { since: 'v1.0.0', cursor: after }))
    ids.push(...(page.records ?? []).map((record) => record.id))
  expect(ids).toEqual(['b', 'c'])
  expect(server.requests.at(-1)).toMatch(/versions\/v2\.0\.0\/manifest\?since=v1\.0\.0&cursor=/)
})

test('a history is a list like others; its path carries any type and any id but steps', async () => {
  const item = { semver: 'v1.0.0', change: 'added', hash: '0'.repeat(64), createdAt: '' }
  const { server, client } = await start((request) =>
    json([item], request.query.has('cursor') ? {} : { link: '</x?limit=1&cursor=abc>; rel="next"' }),
  )
  const page = await client.records.history('ada/a', 'a b', 'é/?', { limit: 1 })
  expect(page.items).toEqual([item])
  expect((await page.next!()).next).toBeNull()
  expect(server.requests[0]).toBe('GET /api/collections/ada/a/records/a%20b/%C3%A9%2F%3F/history?limit=1')
  expect(server.requests[1]).toMatch(/history\?limit=1&cursor=abc$/)
  expect(() => client.records.history('ada/a', 'T', '..')).toThrow(TypeError)
})

test('an export is an answer whose body is still to be read', async () => {
  const bytes = new Uint8Array(1_000_000).fill(7)
  const { server, client } = await start(() => ({
    status: 200,
    headers: { 'content-type': 'application/gzip' },
    body: bytes,
  }))
  const response = await client.versions.export('ada/a', 'v1.0.0')
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  expect(server.requests).toEqual(['GET /api/collections/ada/a/export?version=v1.0.0'])
  server.fail(/export/, { how: 'status', status: 404, body: '{"error":"","code":"version_not_found"}' })
  await expect(client.versions.export('ada/a', 'v9.0.0')).rejects.toMatchObject({ code: 'version_not_found' })
})
