import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readLines, readWhole } from './chunks.ts'
import { createClient } from './client.ts'
import { readRetryAfter, UlmusError } from './errors.ts'
import { nextQuery } from './lists.ts'
import { type FaultyServer, type Reply, type Request, startFaultyServer } from './testing/faulty-server.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(handle: (request: Request) => Reply, timeoutMs = 20_000) {
  const seen: Request[] = []
  const server = await startFaultyServer((request) => {
    seen.push(request)
    return handle(request)
  })
  open.push(server)
  const retry = { attempts: 3, delayMs: 5, delayMsMax: 10 }
  return {
    server,
    seen,
    client: createClient({ baseUrl: `${server.url}/`, apiKey: 'ul_test', retry, timeoutMs }),
  }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify(body),
})

test('the key goes as a bearer token, bodies as JSON, slugs percent-encoded', async () => {
  const { seen, server, client } = await start(() => json({ ok: true }))
  await client.collections.update('ada/a b', { public: true })
  expect(server.requests).toEqual(['PATCH /api/collections/ada/a%20b'])
  expect(seen[0]!.headers).toMatchObject({
    authorization: 'Bearer ul_test',
    'content-type': 'application/json',
  })
  expect(JSON.parse(seen[0]!.body.toString())).toEqual({ public: true })
  await expect(client.collections.get('ada')).rejects.toThrow('owner/slug')
})

test('a page leads to the next by its Link header, within this server alone', async () => {
  const { seen, client } = await start((request) => {
    const offset = Number(request.query.get('cursor') ?? 0)
    const link = `<https://elsewhere.example/api/collections?cursor=${offset + 2}&q=x>; rel="next"`
    return json([{ slug: `c${offset}` }, { slug: `c${offset + 1}` }], 200, offset < 4 ? { link } : {})
  })
  const slugs: string[] = []
  for await (const item of client.collections.browseAll({ q: 'x' })) slugs.push(item.slug)
  expect(slugs).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5'])
  expect(seen.map((request) => request.query.get('q'))).toEqual(['x', 'x', 'x'])
  const first = await client.collections.browse()
  expect((await first.next!()).items[0]!.slug).toBe('c2')
})

test('facets are asked for by the filters of a list', async () => {
  const { seen, client } = await start(() => json({ total: 0, hasMore: false, facets: [] }))
  expect((await client.collections.facets({ type: ['A', 'B'], similar: true })).total).toBe(0)
  expect(`${seen[0]!.path}?${seen[0]!.query}`).toBe('/api/collections/facets?type=A&type=B&similar=true')
})

test('Link headers are read as RFC 8288 writes them', () => {
  expect(nextQuery(null)).toBeNull()
  expect(nextQuery('<?a=1>; rel="prev"')).toBeNull()
  expect(nextQuery('<?a=1>; rel="prev", </x?a=2&b=%3E>; title="t"; rel=next')).toEqual({ a: '2', b: '>' })
  expect(nextQuery('<?a=1>; rel="first next"')).toEqual({ a: '1' })
  expect(nextQuery('<?a=1>; rel="nextish"')).toBeNull()
})

test('a write that may have happened is not sent twice, one that was not looked at is', async () => {
  const { server, client } = await start(() => json({ semver: 'v1.0.1' }, 201))
  server.fail(/metadata/, { how: 'lose_answer' })
  await expect(client.metadata.patch('ada/a', { license: 'MIT' })).rejects.toMatchObject({ code: 'network' })
  expect(server.requests).toHaveLength(1)
  server.fail(/metadata/, { how: 'status', status: 429, retryAfter: '0' })
  expect((await client.metadata.patch('ada/a', { license: 'MIT' })).semver).toBe('v1.0.1')
  expect(server.requests).toHaveLength(3)
})

test('a job is polled until it is done, and fails with the error it carries', async () => {
  let polls = 0
  const error = { error: 'Moved on.', code: 'version_conflict', statusCode: 409, currentVersion: 'v2.0.0' }
  const { client, server } = await start((request) => {
    if (request.method === 'PATCH')
      return json({ job_id: 'j', status: 'running', base_semver: 'v1.0.0' }, 202)
    if (request.path.endsWith('/bad')) return json({ job_id: 'bad', status: 'failed', error })
    const done = { status: 'completed', result: { semver: 'v1.0.1' } }
    return json({ job_id: 'j', ...(++polls < 3 ? { status: 'running' } : done) })
  })
  const { job_id: id } = await client.metadata.patchAsync('ada/a', { license: 'MIT' })
  expect(server.requests[0]).toBe('PATCH /api/collections/ada/a/metadata?async=true')
  expect((await client.metadata.waitForJob('ada/a', id)).semver).toBe('v1.0.1')
  const failed = client.metadata.waitForJob('ada/a', 'bad')
  await expect(failed).rejects.toMatchObject({ status: 409, code: 'version_conflict', message: 'Moved on.' })
  polls = -100
  await expect(client.metadata.waitForJob('ada/a', id, { timeoutMs: 60 })).rejects.toMatchObject({
    code: 'timeout',
  })
})

test('records are read by pages until there are no more', async () => {
  const { client, seen } = await start((request) => {
    const more = request.query.get('after') === null
    return json({
      records: [{ id: more ? '1' : '2', type: 'T', data: null, hash: '' }],
      pagination: { limit: 1, hasMore: more, nextCursor: more ? 'c' : null, total: 2 },
    })
  })
  const ids: string[] = []
  for await (const record of client.records.iterate('ada/a', 'v1.0.0', { type: 'T', limit: 1 }))
    ids.push(record.id)
  expect(ids).toEqual(['1', '2'])
  expect(seen.map((request) => request.query.toString())).toEqual([
    'limit=1&type=T',
    'limit=1&type=T&after=c',
  ])
})

test('an id that no path can carry is read by the query', async () => {
  const { client, server } = await start(() =>
    json({
      ...{ id: 'a/b?#é', type: 'T' },
      ...{ records: [{ id: '..', type: 'T', data: 1, hash: '' }], pagination: { hasMore: false } },
    }),
  )
  expect((await client.records.one('ada/a', 'latest', 'T', '..')).data).toBe(1)
  expect(server.requests[0]).toContain('/versions/latest/records?type=T&id=..')
  await expect(client.records.one('ada/a', 'latest', 'T', '..', { proof: true })).rejects.toThrow(TypeError)
  await client.records.one('ada/a', 'latest', 'T', 'a/b?#é', { proof: true })
  expect(server.requests.at(-1)).toContain('/records/T/a%2Fb%3F%23%C3%A9?proof=true')
})

test('a download is resumed from the start when it breaks off, and checked against its hash', async () => {
  const bytes = Buffer.from('a map of the world')
  const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
  const reply = { status: 200, headers: { 'content-type': 'text/plain' }, body: bytes }
  const { client, server } = await start(() => reply, 1_500)
  await expect(client.files.download('ada/a', hash('another map'))).rejects.toMatchObject({
    code: 'hash_mismatch',
  })
  server.fail(/files/, { how: 'cut', bytes: 4 }, { how: 'stall_body', bytes: 4 })
  const file = await client.files.download('ada/a', hash('a map of the world'))
  expect(Buffer.from(file.bytes).toString()).toBe('a map of the world')
  expect(file.contentType).toBe('text/plain')
})

test('an answer that is no error body still has a status and a code', async () => {
  const { client } = await start(() => ({ status: 404, body: '<html>' }))
  await expect(client.collections.get('ada/a')).rejects.toMatchObject({
    status: 404,
    code: 'http_404',
    body: {},
  })
})

test('Retry-After is seconds or a date', () => {
  expect(readRetryAfter(null, 0)).toBeUndefined()
  expect(readRetryAfter('7', 0)).toBe(7_000)
  const now = Date.parse('2026-01-15T00:00:00Z')
  expect(readRetryAfter('Thu, 15 Jan 2026 00:00:30 GMT', now)).toBe(30_000)
  expect(readRetryAfter('Thu, 15 Jan 2026 00:00:30 GMT', now + 60_000)).toBe(0)
  expect(readRetryAfter('soon', now)).toBeUndefined()
})

test('an error about lines names the first three in its message', () => {
  const fault = (line: number) => ({
    ...{ line, id: `city ${line}`, type: 'City', code: 'schema_violation', message: 'does not match' },
    errors: [{ path: '/population', message: 'must be >= 0' }],
  })
  const error = UlmusError.fromBody(
    {
      ...{ error: '5 line(s) were refused.', code: 'schema_violation', statusCode: 422, totalErrors: 5 },
      validationErrors: [
        fault(2),
        { line: 7, id: null, type: null, code: 'syntax', message: 'The line is not JSON.' },
        ...[fault(9), fault(11), fault(12)],
      ],
    },
    422,
  )
  expect(error.message).toBe(
    [
      '5 line(s) were refused.',
      '  line 2, City "city 2": /population must be >= 0',
      '  line 7: The line is not JSON.',
      '  line 9, City "city 9": /population must be >= 0',
      '  and 2 more',
    ].join('\n'),
  )
})

test.each([
  [undefined, /needs baseUrl/],
  [{}, /needs baseUrl/],
  [{ baseUrl: 'registry.example' }, /must be the address of the registry.*"registry.example"/],
  [{ baseUrl: '' }, /must be the address/],
  [{ baseUrl: 'https://registry.example/api/' }, /leave out \/api/],
  [{ baseUrl: 'https://registry.example', apiKey: 'sk_1' }, /start with `ul_`/],
  [{ baseUrl: 'https://registry.example', apiKey: null }, /start with `ul_`/],
])('createClient(%j) says what is missing', (options, sentence) => {
  expect(() => createClient(options as never)).toThrow(sentence)
  expect(() => createClient(options as never)).toThrow(TypeError)
})

test('the table of docs/client.md names every call, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/client.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`.*`) \| (.*) \|$/gm)].map(([, members, calls]) => {
    const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
    return [namesIn(members), namesIn(calls)] as const
  })
  const nouns = rows.flatMap(([members, calls]) =>
    members.map((member) => [member, calls.toSorted()] as const),
  )
  const client = Object.entries(createClient({ baseUrl: 'https://registry.example' }))
  const known = client.map(
    ([name, member]) => [name, name === 'dryRun' ? [] : Object.keys(member).toSorted()] as const,
  )
  expect(Object.fromEntries(nouns)).toEqual(Object.fromEntries(known))
})

test('no redirect to another origin is followed: neither the key nor the body reaches another address', async () => {
  const elsewhere = await start(() => json({ ok: true }))
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `${elsewhere.server.url}/api/collections/ada/x`
    const { seen, client } = await start(() => ({ status, headers: { location } }))
    const refused = { code: 'redirected', message: expect.stringContaining(`redirects to ${location}`) }
    await expect(client.collections.update('ada/x', { public: true })).rejects.toMatchObject(refused)
    await expect(client.collections.get('ada/x')).rejects.toMatchObject(refused)
    expect(seen.length).toBe(2)
  }
  expect(elsewhere.seen).toEqual([])
})

test('a collection that moved is found at its new address on the same registry, but not in a circle', async () => {
  const { seen, client } = await start(({ path }) =>
    path.includes('/moved')
      ? json({ ok: true, ownerSlug: 'ada', slug: 'moved' })
      : {
          status: 308,
          headers: { location: path.includes('/round') ? path : path.replace('/old', '/moved') },
        },
  )
  await client.collections.update('ada/old', { public: true })
  expect(seen.length).toBe(2)
  await expect(client.collections.get('ada/round')).rejects.toMatchObject({ code: 'redirected' })
})

/** An endless body, and the number of its pieces that were read. */
function endless() {
  let taken = 0
  const body = new ReadableStream({
    pull(controller) {
      taken++
      controller.enqueue(new Uint8Array(100).fill(0x61))
    },
  })
  return { response: new Response(body), taken: () => taken }
}

test('a body and a line that do not end are given up', async () => {
  const body = endless()
  await expect(readWhole(body.response, 30_000, 1_000)).rejects.toMatchObject({ code: 'answer_too_large' })
  expect(body.taken()).toBeLessThan(20)
  const line = endless()
  await expect(readLines(line.response, 30_000, 1_000).next()).rejects.toMatchObject({
    code: 'answer_too_large',
  })
  expect(line.taken()).toBeLessThan(20)
})

test('no name leads to another call', async () => {
  const { seen, client } = await start(() => json({ records: [], pagination: {} }))
  const calls: (() => Promise<unknown>)[] = [
    () => client.collections.get('../x'),
    () => client.collections.get({ owner: 'ada', slug: '..' }),
    () => client.versions.get('ada/x', '..'),
    () => client.records.one('ada/x', 'v1.0.0', '..', 'a'),
    () => client.accounts.remove('.'),
    () => client.keys.revoke('..'),
    () => client.orgs.removeMember('team', '..'),
    () => client.files.open('ada/x', '..'),
    () => client.pushSessions.cancel('ada/x', '..'),
  ]
  for (const call of calls) await expect(call()).rejects.toThrow('cannot be part of a path')
  expect(seen).toEqual([])
  // A record may have such an id: it is requested by a query.
  await expect(client.records.one('ada/x', 'v1.0.0', 'City', '..')).rejects.toMatchObject({
    code: 'record_not_found',
  })
  expect(seen.map(({ path }) => path)).toEqual(['/api/collections/ada/x/versions/v1.0.0/records'])
})
