/** The law: an answer is about what was asked for, or it is an error that names both. */
import { afterEach, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import { type FaultyServer, type Reply, startFaultyServer } from './testing/faulty-server.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(reply: (path: string) => { body: unknown; headers?: Record<string, string> }) {
  const server = await startFaultyServer(({ path }): Reply => {
    const { body, headers } = reply(path)
    return { status: 200, headers, body: JSON.stringify(body) }
  })
  open.push(server)
  return { server, client: createClient({ baseUrl: server.url, retry: { attempts: 1 } }) }
}

const hash = `sha256:${'1'.repeat(64)}`
const digest = (byte: string) => `public:${byte.repeat(64)}`

/** A call, and an answer about something else with a header that does not show it. */
const lies: [name: string, call: (client: Client) => Promise<unknown>, body: object, words: string][] = [
  ['a collection', (c) => c.collections.get('ada/x'), { ownerSlug: 'ada', slug: 'y' }, 'slug "y"'],
  ['an owner', (c) => c.collections.get('ada/x'), { ownerSlug: 'bob', slug: 'x' }, 'ownerSlug "bob"'],
  ['a version', (c) => c.versions.get('ada/x', 'v1.1.0'), { semver: 'v1.0.0' }, 'semver "v1.0.0"'],
  ['no version', (c) => c.versions.get('ada/x', 'v1.1.0'), {}, 'semver undefined'],
  ['a digest', (c) => c.versions.get('ada/x', digest('a')), { hash: digest('b') }, digest('b')],
  ['a manifest', (c) => c.versions.manifest('ada/x', 'v1.1.0').next(), { semver: 'v1.0.0' }, 'v1.0.0'],
  [
    'the newer side',
    (c) => c.versions.diff('ada/x', 'v1.0.0', 'v1.2.0').next(),
    { from: 'v1.0.0', to: 'v1.1.0' },
    'to "v1.1.0"',
  ],
  [
    'the older side',
    (c) => c.versions.diff('ada/x', 'v1.0.0', 'v1.2.0').next(),
    { from: 'v1.1.0', to: 'v1.2.0' },
    '"v1.1.0"',
  ],
  [
    'a record',
    (c) => c.records.one('ada/x', 'v1.0.0', 'Bird', 'robin'),
    { type: 'Bird', id: 'wren' },
    'id "wren"',
  ],
  [
    'a type',
    (c) => c.records.one('ada/x', 'v1.0.0', 'Bird', 'robin'),
    { type: 'Fish', id: 'robin' },
    'type "Fish"',
  ],
  [
    'a page of a type',
    (c) => c.records.page('ada/x', 'v1.0.0', { type: 'Bird' }),
    { records: [{ type: 'Fish', id: '1' }] },
    '"Fish"',
  ],
  [
    'a page of an id',
    (c) => c.records.page('ada/x', 'v1.0.0', { id: '1' }),
    { records: [{ type: 'Fish', id: '2' }] },
    '"2"',
  ],
  [
    'a stream',
    (c) => c.records.ndjson('ada/x', 'v1.0.0', { type: 'Bird' }).next(),
    { type: 'Fish', id: '1' },
    '"Fish"',
  ],
  [
    'a file',
    (c) => c.files.upload('ada/x', { bytes: new Uint8Array(), hash }),
    { hash: `sha256:${'2'.repeat(64)}` },
    '2222',
  ],
  ['a job', (c) => c.metadata.job('ada/x', 'j'), { job_id: 'k' }, 'job_id "k"'],
  ['a session', (c) => c.pushSessions.get('ada/x', 's'), { session_id: 't' }, 'session_id "t"'],
  ['an account', (c) => c.accounts.get('ada'), { slug: 'bob' }, 'slug "bob"'],
  ['a webhook', (c) => c.webhooks.get('w'), { id: 'v' }, 'id "v"'],
]

test.each(lies)('a body about another one is refused: %s', async (_, call, body, words) => {
  const { client } = await start(() => ({ body }))
  await expect(call(client)).rejects.toMatchObject({
    code: 'wrong_answer',
    message: expect.stringContaining(words),
  })
})

const asked = '/api/collections/ada/x/versions/v1.0.0/tables/Bird/rows'
test.each([
  ['another version', asked.replace('v1.0.0', 'v1.1.0')],
  ['another collection', asked.replace('/x/', '/y/')],
  ['another type', asked.replace('Bird', 'Fish')],
  ['another operation', asked.replace('rows', 'facets')],
  ['another page', `${asked}?limit=1&offset=2`],
])('an answer whose header names %s is refused, and names both', async (_, resource) => {
  const { client } = await start(() => ({ body: {}, headers: { 'x-resource': resource } }))
  const call = client.tables.rows('ada/x', 'v1.0.0', 'Bird', { limit: 1 })
  await expect(call).rejects.toMatchObject({
    code: 'wrong_answer',
    message: expect.stringMatching(new RegExp(`${asked}\\?limit=1.*${resource.replace('?', '\\?')}`)),
  })
})

test('an answer must say which version is the latest, and later pages are of the same one', async () => {
  const silent = await start((path) => ({ body: {}, headers: { 'x-resource': path } }))
  await expect(silent.client.records.page('ada/x', 'latest')).rejects.toMatchObject({ code: 'wrong_answer' })
  const nextCursor = 'c'
  const { client, server } = await start(() => ({
    body: { records: [], pagination: { hasMore: true, nextCursor }, semver: 'v1.2.0' },
  }))
  // The second page has the cursor of the first one again.
  const all = Array.fromAsync(client.records.iterate('ada/x', 'latest'))
  await expect(all).rejects.toMatchObject({
    code: 'wrong_answer',
    message: expect.stringContaining('does not end'),
  })
  expect(server.requests).toEqual([
    'GET /api/collections/ada/x/versions/latest/records?limit=2000',
    'GET /api/collections/ada/x/versions/v1.2.0/records?limit=2000&after=c',
  ])
})

test('pages that lead back to one before end', async () => {
  let n = 0
  const { client } = await start(() => ({
    body: [{ slug: 'x' }],
    headers: {
      link: `<?offset=${++n % 3}>; rel="next"`,
      'x-resource': n === 1 ? '/api/collections?limit=100' : `/api/collections?offset=${(n - 1) % 3}`,
    },
  }))
  await expect(Array.fromAsync(client.collections.browseAll())).rejects.toMatchObject({
    code: 'wrong_answer',
  })
  expect(n).toBeLessThan(6)
})

test.each([
  '/api/collections/ada/x/versions/v1.0.0',
  '/api/collections/ada/x/versions/v1.1.0/records',
  '/api/accounts/ada',
])('a redirect to something else is not followed: %s', async (location) => {
  const server = await startFaultyServer(() => ({ status: 308, headers: { location } }))
  open.push(server)
  const client = createClient({ baseUrl: server.url })
  await expect(client.versions.get('ada/x', 'v1.1.0')).rejects.toMatchObject({ code: 'redirected' })
  expect(server.requests).toHaveLength(1)
})
