/** Requests that finish after their key, session or membership was revoked record nothing. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrg, serveForTest, type TestServer } from '../../testing/serve.ts'
import { entryOf, hashOf, item } from '../../testing/snapshots.ts'
import { fileHash, json, ndjson, type TestClient, testClient } from '../../testing/test-client.ts'

describe.each(anyDatabase)('what outlives its authority on $name', (database) => {
  let server: TestServer
  let dispose: () => Promise<void>
  /** Owner of the org `elms`. */
  let ada: TestClient
  let made = 0

  beforeAll(async () => {
    const { settings, dispose: drop } = await database.settings()
    dispose = drop
    server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    await addOrg(server, { cookie }, 'elms')
    await addOrg(server, { cookie }, 'others')
    ada = testClient(server.url, await server.keyFor(cookie, 'admin'))
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  /** Sends a request and runs `meanwhile` between two halves of its body. Returns status and code of the answer. */
  async function halting(
    credential: Record<string, string>,
    {
      method,
      path,
      headers,
      body,
    }: { method: string; path: string; headers: Record<string, string>; body: string },
    meanwhile: () => Promise<unknown>,
  ): Promise<{ status: number | undefined; code: string }> {
    const half = Math.floor(body.length / 2)
    const {
      promise: answered,
      resolve,
      reject,
    } = Promise.withResolvers<{ status: number | undefined; code: string }>()
    const sent = request(
      `${server.url}/api${path}`,
      { method, headers: { ...credential, ...headers, 'content-length': String(body.length) } },
      async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve({ status: answer.statusCode, code: JSON.parse(text).code })
      },
    )
    sent.on('error', reject)
    sent.write(body.slice(0, half))
    // The server has admitted the request, and waits for the rest.
    await sleep(150)
    await meanwhile()
    sent.end(body.slice(half))
    return answered
  }

  /** A member of the org with a key, and a collection of the org with an open push of each kind. */
  async function stage(options: { public: boolean }) {
    const name = `user-${++made}`
    const { cookie } = await server.signIn(name)
    const member = await ada.put(`/accounts/elms/members/${name}`, { role: 'member' })
    expect(member.status).toBe(200)
    const key = await server.keyFor(cookie, 'admin')
    const who = testClient(server.url, key)
    const path = `/collections/elms/c-${made}`
    expect((await ada.post('/accounts/elms/collections', { slug: `c-${made}`, ...options })).status).toBe(201)
    const opening = { base_version: null, schemas: { A: {} } }
    const delta = `${path}/pushes/${(await who.post(`${path}/pushes`, opening)).json.session_id}`
    const chunked = await who.post(`${path}/versions/negotiate`, { ...opening, manifest_expected: 1 })
    const named = await who.post(`${path}/versions/negotiate`, { ...opening, manifest: [entryOf(item('1'))] })
    const at = (id: string) => `${path}/versions/negotiate/${id}`
    return {
      name,
      cookie,
      key,
      path,
      who,
      delta,
      chunked: at(chunked.json.session_id),
      named: at(named.json.session_id),
    }
  }
  type Stage = Awaited<ReturnType<typeof stage>>

  const text = 'the bytes of a file'
  const line = JSON.stringify({ id: '1', type: 'A', data: {} })
  /** The request, and the owner's check afterwards. */
  const asked: Record<
    string,
    (on: Stage) => { method: string; path: string; headers: Record<string, string>; body: string }
  > = {
    'an upload': ({ path }) => ({
      ...{ method: 'PUT', path: `${path}/files/${fileHash(text)}` },
      ...{ headers: { 'content-type': 'text/plain' }, body: text },
    }),
    'a batch of records': ({ delta }) => ({
      method: 'POST',
      path: `${delta}/records`,
      headers: ndjson,
      body: line,
    }),
    'a batch of deletes': ({ delta }) => ({
      ...{ method: 'POST', path: `${delta}/deletes`, headers: ndjson },
      body: JSON.stringify({ id: '1', type: 'A' }),
    }),
    'a chunk of a manifest': ({ chunked }) => ({
      ...{ method: 'POST', path: `${chunked}/manifest`, headers: ndjson },
      body: JSON.stringify({ id: '1', type: 'A', hash: hashOf(item('1')) }),
    }),
    'records of a snapshot': ({ named }) => ({
      method: 'POST',
      path: `${named}/records`,
      headers: ndjson,
      body: line,
    }),
    'an opening': ({ path }) => ({
      ...{ method: 'POST', path: `${path}/pushes`, headers: json },
      body: JSON.stringify({ base_version: null, schemas: { A: {} } }),
    }),
    'an opening of a snapshot': ({ path }) => ({
      ...{ method: 'POST', path: `${path}/versions/negotiate`, headers: json },
      body: JSON.stringify({ base_version: null, schemas: { A: {} }, manifest: [] }),
    }),
    'a change of a collection': ({ path }) => ({
      ...{ method: 'PATCH', path, headers: json, body: JSON.stringify({ name: 'Another' }) },
    }),
    'a new collection': ({ name }) => ({
      ...{ method: 'POST', path: '/accounts/elms/collections', headers: json },
      body: JSON.stringify({ slug: `by-${name}` }),
    }),
  }
  /** Possible leftovers of the requests, in the owner's view. */
  async function left({ path, delta, chunked, named, name }: Stage): Promise<unknown[]> {
    const states = [delta, chunked, named].map(async (session) => {
      const { json: state } = await ada.get(session)
      return [state.status, state.total_records, state.needed_records]
    })
    return Promise.all([
      ada.get(`${path}/files/${fileHash(text)}`).then(({ status }) => status),
      ...states,
      ada.get(path).then(({ json: { name: called } }) => called),
      ada.get(`/collections/elms/by-${name}`).then(({ status }) => status),
    ])
  }

  describe.each(Object.keys(asked))('%s', (what) => {
    test.each([
      ['its key was revoked', { public: true }, 401, 'unauthenticated'],
      ['its session ended', { public: true }, 401, 'unauthenticated'],
      ['its account left the org', { public: true }, 403, 'not_a_member'],
      ['its account left the org', { public: false }, 404, 'collection_not_found'],
    ] as const)('%s meanwhile %j: %i', async (why, options, status, code) => {
      const on = await stage(options)
      const before = await left(on)
      const keys = (await on.who.get('/accounts/keys')).json as { id: string }[]
      const revoke = {
        'its key was revoked': () => on.who.delete(`/accounts/keys/${keys[0]!.id}`),
        'its session ended': () =>
          fetch(`${server.url}/auth/logout`, {
            method: 'POST',
            headers: { cookie: on.cookie, 'sec-fetch-site': 'same-origin' },
          }),
        'its account left the org': () => ada.delete(`/accounts/elms/members/${on.name}`),
      }[why]
      const credential: Record<string, string> =
        why === 'its session ended'
          ? { cookie: on.cookie, 'sec-fetch-site': 'same-origin' }
          : { authorization: `Bearer ${on.key}` }
      const answer = await halting(credential, asked[what]!(on), revoke)
      // Every account is public; its contents are not checked here.
      const expected = what === 'a new collection' && status === 404 ? [403, 'not_a_member'] : [status, code]
      expect([answer.status, answer.code]).toEqual(expected)
      expect(await left(on)).toEqual(before)
    })
  })

  test('a key that is used no more makes no key, and no member', async () => {
    const on = await stage({ public: true })
    const keys = async () =>
      ((await testClient(server.url, { cookie: on.cookie }).get('/accounts/keys')).json as unknown[]).length
    const asks = [
      { method: 'POST', path: '/accounts/keys', headers: json, body: '{"label":"l","scope":"read"}' },
      {
        method: 'POST',
        path: '/accounts',
        headers: json,
        body: `{"slug":"org-of-${on.name}","displayName":"O"}`,
      },
      { method: 'PATCH', path: `/accounts/${on.name}`, headers: json, body: '{"displayName":"Another"}' },
    ]
    for (const ask of asks) {
      const key = await server.keyFor(on.cookie, 'admin')
      const held = await keys()
      const mine = testClient(server.url, key)
      const { id } = ((await mine.get('/accounts/keys')).json as { id: string }[]).at(-1)!
      const answer = await halting({ authorization: `Bearer ${key}` }, ask, () =>
        mine.delete(`/accounts/keys/${id}`),
      )
      expect([ask.path, answer.status]).toEqual([ask.path, 401])
      expect(await keys()).toBe(held - 1)
    }
    expect((await ada.get(`/accounts/org-of-${on.name}`)).status).toBe(404)
  })
})
