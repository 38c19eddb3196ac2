/** Collections over HTTP, sentence by sentence of interface.md and http-api.md §1 and §4. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SignedIn } from '../../testing/browser.ts'
import { addOrg, serveForTest, type TestServer } from '../../testing/serve.ts'
import { pushVersion } from '../../testing/stage.ts'
import { type TestClient, type TestResponse, testClient } from '../../testing/test-client.ts'

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const refusal = (statusCode: number, code: string) => ({
  status: statusCode,
  json: { error: expect.stringMatching(/[.?]$/), code, statusCode },
})
const slugsOf = (answer: TestResponse): string[] =>
  (answer.json as { slug: string }[]).map(({ slug }) => slug)
const linksOf = (answer: TestResponse): Record<string, string> =>
  Object.fromEntries(
    [...String(answer.headers['link'] ?? '').matchAll(/<\/api([^>]*)>; rel="(\w+)"/g)].map(([, url, rel]) => [
      rel,
      url,
    ]),
  )

describe.each(anyDatabase)('collections over HTTP on $name', (testDatabase) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let ann: SignedIn
  let anonymous: TestClient
  /** An owner of the organization `acme` with a session; a member and an outsider with keys. */
  let owner: TestClient
  let member: TestClient
  let outsider: TestClient
  let memberCookie: string

  beforeAll(async () => {
    const made = await testDatabase.settings()
    dispose = made.dispose
    server = await serveForTest(made.settings)
    ann = await server.signIn('ann', { name: 'Ann Elm' })
    const mel = await server.signIn('mel')
    const out = await server.signIn('out')
    memberCookie = mel.cookie
    anonymous = testClient(server.url)
    owner = testClient(server.url, ann)
    member = testClient(server.url, await server.keyFor(mel.cookie, 'write'))
    outsider = testClient(server.url, await server.keyFor(out.cookie, 'admin'))
    await addOrg(server, ann, 'acme', { mel: 'member' })
  })
  afterAll(async () => {
    await server?.close()
    await dispose?.()
  })

  describe('POST /api/accounts/:owner/collections', () => {
    test('“Returns 201 with id, owner (string, the owner slug), slug, name.”', async () => {
      const answer = await owner.post('/accounts/ann/collections', {
        slug: 'first',
        name: 'First',
        public: true,
      })
      expect(answer.status).toBe(201)
      expect(answer.json).toEqual({ id: uuid, owner: 'ann', slug: 'first', name: 'First' })
    })

    test('“slug required; name defaults to the slug; public to false; optional description”', async () => {
      expect(await owner.post('/accounts/ann/collections', { name: 'No slug' })).toMatchObject(
        refusal(400, 'invalid_request'),
      )
      const answer = await owner.post('/accounts/ann/collections', {
        slug: 'defaults',
        description: ' about it ',
      })
      expect(answer.json).toMatchObject({ name: 'defaults' })
      expect((await owner.get('/collections/ann/defaults')).json).toMatchObject({
        public: false,
        description: 'about it',
      })
    })

    test('“the caller must own the account or be a member of the org”, “write scope”', async () => {
      const body = { slug: 'mine' }
      expect(await anonymous.post('/accounts/acme/collections', body)).toMatchObject(
        refusal(401, 'unauthenticated'),
      )
      expect(await outsider.post('/accounts/acme/collections', body)).toMatchObject(
        refusal(403, 'not_a_member'),
      )
      expect(await outsider.post('/accounts/ann/collections', body)).toMatchObject(
        refusal(403, 'not_a_member'),
      )
      const reader = testClient(server.url, await server.keyFor(memberCookie, 'read'))
      expect(await reader.post('/accounts/acme/collections', body)).toMatchObject(
        refusal(403, 'insufficient_scope'),
      )
      expect(await member.post('/accounts/acme/collections', body)).toMatchObject({ status: 201 })
      expect(await member.post('/accounts/missing/collections', body)).toMatchObject(
        refusal(404, 'account_not_found'),
      )
    })

    test('“Writing elsewhere, creating collections…: 403 key_limited”', async () => {
      const made = await owner.post('/accounts/ann/collections', { slug: 'limited-create' })
      const collectionId = made.json.id
      const limited = testClient(server.url, await server.keyFor(ann.cookie, 'admin', { collectionId }))
      expect(await limited.post('/accounts/ann/collections', { slug: 'x' })).toMatchObject(
        refusal(403, 'key_limited'),
      )
    })

    test('“409 slug_taken”, “422 invalid_slug”, 400 for an unknown, a mistyped and a malformed body', async () => {
      const post = (body: unknown) => owner.post('/accounts/ann/collections', body)
      await post({ slug: 'twice' })
      expect(await post({ slug: 'twice' })).toMatchObject(refusal(409, 'slug_taken'))
      expect(await post({ slug: 'Not A Slug' })).toMatchObject(refusal(422, 'invalid_slug'))
      expect(await post({ slug: 'a'.repeat(101) })).toMatchObject(refusal(422, 'invalid_slug'))
      expect(await post({ slug: 'a'.repeat(100) })).toMatchObject({ status: 201 })
      for (const body of [
        { slug: 'x', colour: 'red' },
        { slug: 7 },
        { slug: 'x', public: 'yes' },
        { slug: 'x', name: '' },
        { slug: 'x', name: 'n'.repeat(201) },
        { slug: 'x', name: 'line\nbreak' },
        [],
      ]) {
        const answer = await post(body)
        expect(answer).toMatchObject(refusal(400, 'invalid_request'))
        expect(answer.json.issues).toEqual([{ path: expect.any(String), message: expect.any(String) }])
      }
      const malformed = await owner.post('/accounts/ann/collections', '{"slug":')
      expect(malformed).toMatchObject(refusal(400, 'invalid_request'))
      const form = await owner.postForm('/accounts/ann/collections', { slug: 'x' })
      expect(form.status).toBe(415)
    })
  })

  describe('GET /api/collections/:owner/:slug', () => {
    const path = '/collections/acme/detailed'
    beforeAll(async () => {
      await owner.post('/accounts/acme/collections', {
        slug: 'detailed',
        name: 'Detailed',
        public: true,
        description: 'own',
      })
    })

    test('“latestVersion is null before the first version”; every field of the detail', async () => {
      const answer = await anonymous.get(path)
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({
        id: uuid,
        slug: 'detailed',
        name: 'Detailed',
        description: 'own',
        topics: [],
        public: true,
        ownerSlug: 'acme',
        ownerName: 'The acme',
        createdAt: instant,
        updatedAt: instant,
        latestVersion: null,
        publishersOnly: false,
      })
    })

    test('the latest version summary, “of the view the caller reads”', async () => {
      const before = (await anonymous.get(path)).json
      await pushVersion(member, path, {
        opening: {
          schemas: { City: { type: 'object', properties: { name: { type: 'string' } } } },
          metadata: { description: 'from metadata', license: 'MIT' },
          message: 'first push',
        },
        puts: [
          { id: 'a', type: 'City', data: { name: 'Aachen' } },
          { id: 'b', type: 'City', data: { name: 'Bonn' }, private: true },
        ],
      })
      const summary = {
        semver: 'v1.0.0',
        fileCount: 0,
        metadata: { description: 'from metadata', license: 'MIT' },
        createdAt: instant,
        message: 'first push',
      }
      const full = (await member.get(path)).json
      const open = (await anonymous.get(path)).json
      expect(full.latestVersion).toEqual({ ...summary, recordCount: 2, totalBytes: expect.any(Number) })
      expect(open.latestVersion).toEqual({ ...summary, recordCount: 1, totalBytes: expect.any(Number) })
      expect(open.latestVersion.totalBytes).toBeLessThan(full.latestVersion.totalBytes)
      // “show the latest version's metadata.description, else the collection's own, else null”
      expect(open.description).toBe('from metadata')
      // “updatedAt moves with every change and version”
      expect(open.updatedAt > before.updatedAt).toBe(true)
    })

    test('“strong ETag and If-None-Match → 304 on every GET; Vary: Authorization, Cookie”', async () => {
      const first = await anonymous.get(path)
      const tag = first.headers.etag ?? ''
      expect(tag).toMatch(/^"[^"]+"$/)
      expect(first.headers.vary).toMatch(/Authorization, Cookie/i)
      expect(await anonymous.get(path, { 'if-none-match': tag })).toMatchObject({ status: 304, text: '' })
      expect(await member.get(path, { 'if-none-match': tag })).toMatchObject({ status: 200 })
      await owner.patch(path, { name: 'Changed' })
      expect(await anonymous.get(path, { 'if-none-match': tag })).toMatchObject({ status: 200 })
    })

    test('an unknown query parameter is 400; a bad key anywhere is 401, public endpoints too', async () => {
      expect(await anonymous.get(`${path}?x=1`)).toMatchObject(refusal(400, 'invalid_request'))
      const bad = await testClient(server.url, 'ul_nonsense').get(path)
      expect(bad).toMatchObject(refusal(401, 'unauthenticated'))
      expect(bad.headers['www-authenticate']).toBe('Bearer')
    })
  })

  describe('PATCH /api/collections/:owner/:slug', () => {
    const path = '/collections/acme/patched'
    beforeAll(() => owner.post('/accounts/acme/collections', { slug: 'patched', public: true }))

    test('“only the fields to change are sent… Returns 200 with {ok: true}”; also slug and description', async () => {
      expect(await member.patch(path, { name: 'Patched' })).toMatchObject({ status: 200, json: { ok: true } })
      expect(await member.patch(path, { description: 'words' })).toMatchObject({ status: 200 })
      expect((await anonymous.get(path)).json).toMatchObject({
        name: 'Patched',
        description: 'words',
        public: true,
      })
      expect(await member.patch(path, { description: null })).toMatchObject({ status: 200 })
      expect((await anonymous.get(path)).json).toMatchObject({ name: 'Patched', description: null })
    })

    test('who may: 401, 403 scope, 403 not a member; 400; 422; 409', async () => {
      const reader = testClient(server.url, await server.keyFor(memberCookie, 'read'))
      expect(await anonymous.patch(path, { name: 'x' })).toMatchObject(refusal(401, 'unauthenticated'))
      expect(await reader.patch(path, { name: 'x' })).toMatchObject(refusal(403, 'insufficient_scope'))
      expect(await outsider.patch(path, { name: 'x' })).toMatchObject(refusal(403, 'not_a_member'))
      expect(await member.patch(path, { colour: 'red' })).toMatchObject(refusal(400, 'invalid_request'))
      expect(await member.patch(path, { slug: '-' })).toMatchObject(refusal(422, 'invalid_slug'))
      await owner.post('/accounts/acme/collections', { slug: 'in-the-way' })
      expect(await member.patch(path, { slug: 'in-the-way' })).toMatchObject(refusal(409, 'slug_taken'))
    })

    test('“cookie-authenticated writes need a same-origin Origin/Sec-Fetch-Site”', async () => {
      const answer = await fetch(`${server.url}/api${path}`, {
        method: 'PATCH',
        headers: { cookie: ann.cookie, 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
        body: '{"name":"forged"}',
      })
      expect({ status: answer.status, json: await answer.json() }).toMatchObject(refusal(403, 'cross_site'))
    })

    test('a limited key works on its own collection and on no other', async () => {
      const own = await owner.get(path)
      const other = await owner.post('/accounts/acme/collections', { slug: 'elsewhere', public: true })
      const collectionId = own.json.id
      const limited = testClient(server.url, await server.keyFor(memberCookie, 'write', { collectionId }))
      expect(await limited.patch(path, { name: 'By its key' })).toMatchObject({ status: 200 })
      expect(await limited.patch('/collections/acme/elsewhere', { name: 'x' })).toMatchObject(
        refusal(403, 'key_limited'),
      )
      await owner.patch('/collections/acme/elsewhere', { public: false })
      // “Other private collections: 404.”
      expect(await limited.get('/collections/acme/elsewhere')).toMatchObject(
        refusal(404, 'collection_not_found'),
      )
      expect(await limited.patch('/collections/acme/elsewhere', {})).toMatchObject(
        refusal(404, 'collection_not_found'),
      )
      expect(other.status).toBe(201)
    })

    test('“old slugs… answer 308 until someone takes them, to callers who may see what they lead to; 404 to others”', async () => {
      await owner.post('/accounts/acme/collections', { slug: 'before', public: false })
      expect(await member.patch('/collections/acme/before', { slug: 'after' })).toMatchObject({ status: 200 })
      const moved = await member.get('/collections/acme/before')
      expect(moved.status).toBe(308)
      expect(moved.headers.location).toBe('/api/collections/acme/after')
      expect(await outsider.get('/collections/acme/before')).toMatchObject(
        refusal(404, 'collection_not_found'),
      )
      await owner.post('/accounts/acme/collections', { slug: 'before' })
      expect(await member.get('/collections/acme/before')).toMatchObject({ status: 200 })
    })
  })

  describe('DELETE /api/collections/:owner/:slug', () => {
    test('“write scope and owner or admin role in the owning org… Returns 200 with {ok: true}”', async () => {
      const path = '/collections/acme/deleted'
      await member.post('/accounts/acme/collections', { slug: 'deleted', public: true })
      expect(await anonymous.delete(path)).toMatchObject(refusal(401, 'unauthenticated'))
      expect(await outsider.delete(path)).toMatchObject(refusal(403, 'not_a_member'))
      expect(await member.delete(path)).toMatchObject(refusal(403, 'insufficient_role'))
      expect(await owner.delete(path)).toMatchObject({ status: 200, json: { ok: true } })
      for (const gone of [path, `${path}/versions`, `${path}/versions/latest`]) {
        expect(await owner.get(gone)).toMatchObject(refusal(404, 'collection_not_found'))
      }
      expect(await owner.delete(path)).toMatchObject(refusal(404, 'collection_not_found'))
      expect(await member.post('/accounts/acme/collections', { slug: 'deleted' })).toMatchObject({
        status: 201,
      })
    })
  })

  test('“what it frees is swept later”: also what an unfinished push had sent', async () => {
    const received: (() => string[])[] = []
    for (const slug of ['half-pushed', 'other-push']) {
      await owner.post('/accounts/acme/collections', { slug })
      const pushes = `/collections/acme/${slug}/pushes`
      const { session_id } = (await owner.post(pushes, { base_version: null, schemas: { City: {} } })).json
      await owner.lines(`${pushes}/${session_id}/records`, [{ id: 'a', type: 'City', data: {} }])
      const folder = join(server.dataFolder, 'objects/spills', session_id)
      received.push(() => (existsSync(folder) ? readdirSync(folder) : []))
    }
    expect(received.map((names) => names().length)).toEqual([1, 1])
    await owner.delete('/collections/acme/half-pushed')
    await vi.waitFor(() => expect(received[0]?.()).toEqual([]), { timeout: 20_000 })
    expect(received[1]?.()).toHaveLength(1)
  })

  describe('GET /api/accounts/:owner/collections', () => {
    test('“Non-owners see only public collections”; every field of an item', async () => {
      const mel = testClient(server.url, { cookie: memberCookie })
      await mel.post('/accounts/mel/collections', { slug: 'closed' })
      await mel.post('/accounts/mel/collections', { slug: 'open', name: 'Open', public: true })
      const item = {
        id: uuid,
        slug: 'open',
        name: 'Open',
        description: null,
        topics: [],
        public: true,
        ownerSlug: 'mel',
        ownerName: expect.any(String),
        ...{ latestVersion: null, recordCount: null, fileCount: null, totalBytes: null },
        ...{ types: [], license: null, fork: false },
        createdAt: instant,
        updatedAt: instant,
      }
      for (const other of [anonymous, outsider, owner]) {
        expect(await other.get('/accounts/mel/collections')).toMatchObject({ status: 200, json: [item] })
      }
      const all = await mel.get('/accounts/mel/collections')
      expect(slugsOf(all)).toEqual(['open', 'closed'])
      expect(all.json[0]).toEqual(item)
      expect(await anonymous.get('/accounts/missing/collections')).toMatchObject(
        refusal(404, 'account_not_found'),
      )
    })

    test('“beyond what anyone may read, only that collection”: a limited key’s listing', async () => {
      const mel = testClient(server.url, { cookie: memberCookie })
      const made = await mel.post('/accounts/mel/collections', { slug: 'for-the-key' })
      const collectionId = made.json.id
      const limited = testClient(server.url, await server.keyFor(memberCookie, 'read', { collectionId }))
      expect(slugsOf(await limited.get('/accounts/mel/collections'))).toEqual(['for-the-key', 'open'])
    })
  })

  describe('GET /api/collections', () => {
    beforeAll(async () => {
      await owner.post('/accounts', { slug: 'library', displayName: 'Library' })
      for (let index = 1; index <= 105; index++) {
        const name = `Shelf ${String(index).padStart(3, '0')}`
        const body = { slug: `shelf-${index}`, name, public: index !== 50, description: 'books' }
        expect((await owner.post('/accounts/library/collections', body)).status).toBe(201)
      }
    })

    test('“Browses public collections… Returns 200 with an array of browse items.”', async () => {
      const answer = await anonymous.get('/collections?owner=library&limit=1')
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual([
        {
          id: uuid,
          slug: 'shelf-105',
          name: 'Shelf 105',
          description: 'books',
          topics: [],
          public: true,
          ownerSlug: 'library',
          ownerName: 'Library',
          latestVersion: null,
          ...{ recordCount: null, fileCount: null, totalBytes: null },
          ...{ types: [], license: null, fork: false },
          createdAt: instant,
          updatedAt: instant,
        },
      ])
      expect(slugsOf(await owner.get('/collections?owner=library&q=050'))).toEqual([])
      expect((await anonymous.get('/collections?q=changed')).json[0]).toMatchObject({
        latestVersion: 'v1.0.0',
      })
    })

    test('facets count public collections only, also for their owner', async () => {
      for (const caller of [anonymous, owner]) {
        const { status, json } = await caller.get('/collections/facets?owner=library&q=shelf')
        expect([status, json.total, json.hasMore]).toEqual([200, 104, false])
        expect(json.facets.at(-1)).toEqual({ filter: 'owner', values: [{ value: 'library', count: 104 }] })
        expect((await caller.get('/collections/facets?owner=library&q=050')).json.total).toBe(0)
        expect((await caller.get('/collections/facets?owner=library&search=books')).json.total).toBe(104)
      }
      expect((await anonymous.get('/collections/facets?q=changed')).json.facets).toContainEqual({
        filter: 'size',
        values: [{ value: 'small', count: 1 }],
      })
      for (const refused of ['limit=1', 'size=huge', 'sort=name'])
        expect((await anonymous.get(`/collections/facets?${refused}`)).status).toBe(400)
    })

    test('“limit (default 50, more than 100 counts as 100, below 1 or no integer is 400), offset”', async () => {
      const count = async (query: string) =>
        slugsOf(await anonymous.get(`/collections?owner=library${query}`)).length
      expect(await count('')).toBe(50)
      expect(await count('&limit=100')).toBe(100)
      expect(await count('&limit=101')).toBe(100)
      expect(await count('&limit=100000000000000000000')).toBe(100)
      expect(await count('&limit=100&offset=100')).toBe(4)
      expect(await count('&offset=104')).toBe(0)
      for (const query of [
        'limit=0',
        'limit=-1',
        'limit=1.5',
        'limit=ten',
        'limit=',
        'offset=-1',
        'offset=x',
        'sort=size',
        'x=1',
        'cursor=x',
        'topic=',
        'topic=%00',
        `topic=${'x'.repeat(201)}`,
        'topic=a&topic=b&topic=c&topic=d&topic=e&topic=f',
      ]) {
        expect(await anonymous.get(`/collections?${query}`)).toMatchObject(refusal(400, 'invalid_request'))
      }
    })

    test('“an RFC 8288 Link header with next/prev, whose next uses a keyset cursor”', async () => {
      const seen: string[] = []
      let answer = await anonymous.get('/collections?owner=library&limit=30&sort=name')
      expect(linksOf(answer)['prev']).toBeUndefined()
      for (;;) {
        seen.push(...slugsOf(answer))
        const next = linksOf(answer)['next']
        if (next === undefined) break
        expect(next).toMatch(/^\/collections\?.*cursor=/)
        expect(next).not.toContain('offset=')
        answer = await anonymous.get(next)
      }
      expect(seen).toEqual(
        Array.from({ length: 105 }, (_, index) => `shelf-${index + 1}`).filter((slug) => slug !== 'shelf-50'),
      )
      const back = await anonymous.get(linksOf(answer)['prev'] ?? '')
      expect(slugsOf(back)).toEqual(seen.slice(60, 90))
    })

    test('`topic`, once or several times, normalised like the keywords; pages keep it', async () => {
      for (const [shelf, keywords] of [
        [1, ['Sea Birds', 'Atlas']],
        [2, 'sea  birds, maps'],
        [50, ['Sea birds']],
      ] as const) {
        const path = `/collections/library/shelf-${shelf}`
        await pushVersion(owner, path, {
          opening: { schemas: { Book: {} }, metadata: { keywords } },
          puts: [],
        })
      }
      const both = await anonymous.get('/collections?topic=SEA%20birds&sort=name&limit=1')
      expect(both.json).toMatchObject([{ slug: 'shelf-1', topics: ['sea birds', 'atlas'] }])
      const next = linksOf(both)['next']!
      expect(next).toContain('topic=SEA+birds')
      const last = await anonymous.get(next)
      expect([slugsOf(last), linksOf(last)['next']]).toEqual([['shelf-2'], undefined])
      expect(slugsOf(await anonymous.get('/collections?topic=sea+birds&topic=maps'))).toEqual(['shelf-2'])
      expect(slugsOf(await anonymous.get('/collections?topic=sea+birds&search=atlas'))).toEqual(['shelf-1'])
      expect(slugsOf(await owner.get('/collections?topic=sea+birds&q=050'))).toEqual([])
      expect((await owner.get('/collections/library/shelf-50')).json.topics).toEqual(['sea birds'])
    })

    test('“newest updatedAt first”; “sort (updated, created, name)”', async () => {
      await owner.patch('/collections/library/shelf-7', { description: 'changed' })
      const first = async (sort: string) =>
        slugsOf(await anonymous.get(`/collections?owner=library&limit=1&${sort}`))
      expect(await first('')).toEqual(['shelf-7'])
      expect(await first('sort=updated')).toEqual(['shelf-7'])
      expect(await first('sort=created')).toEqual(['shelf-105'])
      expect(await first('sort=name')).toEqual(['shelf-1'])
    })

    test('“q matches anywhere in the name, any case, % and _ literal”', async () => {
      await owner.post('/accounts/library/collections', { slug: 'odd', name: '100%_Ödd\\', public: true })
      const found = async (q: string) =>
        slugsOf(await anonymous.get(`/collections?owner=library&q=${encodeURIComponent(q)}`))
      for (const q of ['100%_', '%', '_', '\\', 'öDD', '%_ö', 'd\\']) expect(await found(q)).toEqual(['odd'])
      for (const q of ['1%0', 'O_d', 'shelf%', "'; drop table collections; --", '\u{1F333}'])
        expect(await found(q)).toEqual([])
      expect(await found('ELF 01')).toHaveLength(10)
    })
  })

  describe('privacy', () => {
    const hidden = '/collections/acme/hidden'
    const compared = ({ status, text, headers }: TestResponse) => ({
      ...{ status, text },
      headers: { ...headers, date: undefined, 'x-request-id': undefined },
    })

    test('absent and hidden collections get the same answers and headers', async () => {
      await owner.post('/accounts/acme/collections', { slug: 'hidden' })
      await pushVersion(owner, hidden, {
        opening: { schemas: { City: {} } },
        puts: [{ id: 'a', type: 'City', data: {} }],
      })
      const probes = (client: TestClient) => [
        () => client.get(hidden),
        () => client.patch(hidden, { name: 'x' }),
        () => client.delete(hidden),
        () => client.patch(`${hidden}/metadata`, { a: 2 }),
        () => client.patch(`${hidden}/metadata?async=true`, { a: 2 }),
        () => client.get(`${hidden}/metadata/jobs/00000000-0000-4000-8000-000000000000`),
        () => client.post(`${hidden}/fork`, { targetOrg: 'acme' }),
        () => client.get(`${hidden}/versions`),
        () => client.get(`${hidden}/versions/latest`),
        () => client.post(`${hidden}/pushes`, { base_version: null }),
      ]
      const callers = [anonymous, outsider]
      const responsesOfAll = async () => {
        const responses = []
        for (const client of callers)
          for (const probe of probes(client)) responses.push(compared(await probe()))
        return responses
      }
      const invisible = await responsesOfAll()
      await owner.delete(hidden)
      expect(await responsesOfAll()).toEqual(invisible)
      expect(invisible.slice(10).map(({ status }) => status)).toEqual(Array(10).fill(404))
    })

    test('a private collection is in no list of others', async () => {
      await owner.post('/accounts/acme/collections', { slug: 'unlisted', name: 'Unlisted thing' })
      expect(slugsOf(await outsider.get('/collections?q=unlisted%20thing'))).toEqual([])
      expect(slugsOf(await owner.get('/collections?q=unlisted%20thing'))).toEqual([])
      expect(slugsOf(await outsider.get('/accounts/acme/collections'))).not.toContain('unlisted')
      expect(slugsOf(await member.get('/accounts/acme/collections'))).toContain('unlisted')
    })
  })
})
