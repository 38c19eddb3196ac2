import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { type FaultyServer, type Reply, type Request, startFaultyServer } from './testing/faulty-server.ts'

const servers: FaultyServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(handle: (request: Request) => Reply) {
  const server = await startFaultyServer(handle)
  servers.push(server)
  const retry = { attempts: 3, delayMs: 5, delayMsMax: 10 }
  return { server, client: createClient({ baseUrl: server.url, retry, timeoutMs: 20_000 }) }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify(body),
})
const building = (rowsDone: number): Reply =>
  json({ building: { rowsDone, rows: 10 } }, 202, { 'retry-after': '0' })

test('filters are repeated, lists of fields joined, absent options omitted', async () => {
  const { server, client } = await start(() => json({ columns: [], rows: [], total: 0, next: null }))
  const asked = async (work: Promise<unknown>) => {
    await work
    const url = new URL(server.requests.at(-1)!.split(' ')[1]!, server.url)
    return [decodeURIComponent(url.pathname).replace(/.*\/v1\.0\.0\//, ''), [...url.searchParams]]
  }
  const filter = ['population gt 1', 'name eq "a, b"']
  const options = { q: 'x', filter, sort: ['-population', 'name'], columns: 'name,area', offset: 3 }
  const query = [
    ['q', 'x'],
    ['filter', filter[0]],
    ['filter', filter[1]],
    ['sort', '-population,name'],
    ['columns', 'name,area'],
  ]
  const ref = ['ada/cities', 'v1.0.0', 'A/B'] as const
  expect(await asked(client.tables.rows(...ref, options))).toEqual([
    'tables/A/B/rows',
    [...query, ['offset', '3']],
  ])
  expect(await asked(client.tables.rows(...ref))).toEqual(['tables/A/B/rows', []])
  expect(await asked(client.tables.csv(...ref, { ...options, bom: true, view: 'public' }))).toEqual([
    'tables/A/B.csv',
    [...query.slice(0, 3), ['view', 'public'], ...query.slice(3), ['bom', '1']],
  ])
  expect(await asked(client.tables.facets(...ref, ['country', 'name'], { filter: 'a null' }))).toEqual([
    'tables/A/B/facets',
    [
      ['facet', 'country'],
      ['facet', 'name'],
      ['filter', 'a null'],
    ],
  ])
  expect(await asked(client.tables.parquet(...ref))).toEqual(['tables/A/B.parquet', []])
  expect(await asked(client.tables.statistics(...ref))).toEqual(['tables/A/B/statistics', []])
})

test('all rows are read page by page from one version', async () => {
  const { server, client } = await start(({ path, query }) => {
    if (!path.includes('/tables/')) return json({ semver: 'v1.2.0' })
    const offset = Number(query.get('offset') ?? 0)
    return json({ rows: [{ id: `${offset}`, data: 1 }], next: offset < 2 ? offset + 1 : null })
  })
  const ids: string[] = []
  for await (const { id } of client.tables.rowsAll('ada/cities', 'latest', 'City', { filter: 'a null' }))
    ids.push(id)
  expect(ids).toEqual(['0', '1', '2'])
  const base = 'GET /api/collections/ada/cities/versions'
  expect(server.requests).toEqual([
    `${base}/latest`,
    `${base}/v1.2.0/tables/City/rows?filter=a+null&limit=1000`,
    `${base}/v1.2.0/tables/City/rows?filter=a+null&limit=1000&offset=1`,
    `${base}/v1.2.0/tables/City/rows?filter=a+null&limit=1000&offset=2`,
  ])
})

test('a question is repeated until the table is built', async () => {
  let left = 0
  const { server, client } = await start(({ path }) => {
    if (left > 0) return building(--left)
    return path.endsWith('.csv') ? { status: 200, body: 'a\n1\n' } : json({ rows: [], total: 7, next: null })
  })
  const progress: number[] = []
  const onBuilding = ({ rowsDone }: { rowsDone: number }) => void progress.push(rowsDone)
  left = 2
  const page = await client.tables.rows('ada/cities', 'v1.0.0', 'City', { onBuilding })
  expect(page.total).toBe(7)
  left = 2
  const response = await client.tables.csv('ada/cities', 'v1.0.0', 'City', { onBuilding })
  expect(await response.text()).toBe('a\n1\n')
  expect(progress).toEqual([1, 0, 1, 0])
  expect(server.requests).toHaveLength(6)

  left = Number.POSITIVE_INFINITY
  const stop = new AbortController()
  const endless = client.tables.statistics('ada/cities', 'v1.0.0', 'City', {
    signal: stop.signal,
    onBuilding: () => stop.abort(new Error('enough')),
  })
  await expect(endless).rejects.toThrow('enough')
  left = 1
  server.fail(/csv/, { how: 'cut', bytes: 5 })
  const cut = client.tables.csv('ada/cities', 'v1.0.0', 'City')
  await expect(cut).rejects.toMatchObject({ code: 'network' })
})

test('a statement is sent as a body, again after a network error, and its text is streamed', async () => {
  const answer = { columns: [{ name: 'a', type: 'INTEGER' }], rows: [[1]], truncated: false, ms: 1 }
  const bodies: unknown[] = []
  const { server, client } = await start(({ body }) => {
    bodies.push(JSON.parse(body.toString()))
    const { format } = bodies.at(-1) as { format: string }
    return format === 'json'
      ? json(answer)
      : { status: 200, headers: { 'x-truncated': 'true' }, body: 'a\n1\n' }
  })
  server.fail(/sql/, { how: 'lose_answer' })
  expect((await client.tables.sql('ada/cities', 'latest', 'SELECT 1 AS a')).rows).toEqual([[1]])
  const csv = await client.tables.sql('ada/cities', 'latest', 'SELECT 1 AS a', { format: 'csv', limit: 1 })
  expect([await csv.text(), csv.headers.get('x-truncated')]).toEqual(['a\n1\n', 'true'])
  expect(server.requests.at(-1)).toBe('POST /api/collections/ada/cities/versions/latest/sql')
  expect(bodies).toEqual([
    { sql: 'SELECT 1 AS a', format: 'json' },
    { sql: 'SELECT 1 AS a', format: 'json' },
    { sql: 'SELECT 1 AS a', format: 'csv', limit: 1 },
  ])
})
