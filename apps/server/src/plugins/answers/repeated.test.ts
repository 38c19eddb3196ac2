import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, describe, expect, type Mock, test, vi } from 'vitest'
import { put, type Stage, setStage } from '../../testing/stage.ts'
import { expectStatus, type TestClient, testClient } from '../../testing/test-client.ts'

/** Repeats a request until its answer comes from the cache. Background work writes now and then, which empties it. */
async function getUnrendered(client: TestClient, path: string, rendering: Mock, headers = {}) {
  for (let tries = 0; tries < 50; tries++) {
    const before = rendering.mock.calls.length
    const answer = await expectStatus(client.get(path, headers), 200)
    if (rendering.mock.calls.length === before) return answer
  }
  throw new Error(`${path} is rendered for each request`)
}

/** Two requests: the first is remembered, the second is stored. */
async function getTwice(client: TestClient, path: string, headers = {}) {
  await expectStatus(client.get(path, headers), 200)
  return expectStatus(client.get(path, headers), 200)
}

describe.each(serviceDatabases)('repeated answers on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  /** A visitor without a session. */
  let visitor: TestClient
  let path: string
  let slug: string
  let number = 10
  /** A URL that no other test requests. */
  const list = () => `/collections?limit=${++number}`

  beforeAll(async () => {
    stage = await setStage(database)
    ;({ ada, anyone } = stage)
    visitor = testClient(stage.server.url, undefined, '')
    ;({ path, slug } = await stage.newCollection())
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
    // Waits for the leaf of the version, since writing it ends repetition.
    await expectStatus(anyone.get(`${path}/versions/latest/log`), 200)
  })
  afterEach(() => vi.restoreAllMocks())
  afterAll(() => stage.end())

  test('from the third request on, a list is neither read nor rendered again', async () => {
    const url = list()
    const browse = vi.spyOn(stage.server.registry.collections, 'browse')
    const first = await expectStatus(anyone.get(url), 200)
    expect(browse).toHaveBeenCalledTimes(1)
    const stored = await getUnrendered(anyone, url, browse)
    expect(browse.mock.calls.length).toBeGreaterThan(1)
    expect(stored.bytes).toEqual(first.bytes)
    const { 'x-request-id': id, date, ...headers } = stored.headers
    expect(first.headers).toMatchObject(headers)
    expect(id).not.toBe(first.headers['x-request-id'])
    expect((await anyone.get(url, { 'if-none-match': stored.headers.etag! })).status).toBe(304)
  })

  test('pages and lists of versions are repeated as well; each coding by itself', async () => {
    const { collections, versions } = stage.server.registry
    const shown = vi.spyOn(collections, 'shown')
    const page = `/ada/${slug}`
    for (const coding of ['identity', 'gzip']) {
      const headers = { 'accept-encoding': coding }
      const rendered = await expectStatus(visitor.get(page, headers), 200)
      const stored = await getUnrendered(visitor, page, shown, headers)
      expect(stored.bytes.equals(rendered.bytes)).toBe(true)
      for (const name of ['content-security-policy', 'content-encoding', 'etag', 'content-type'])
        expect(stored.headers[name]).toBe(rendered.headers[name])
    }
    await getUnrendered(anyone, `${path}/versions`, vi.spyOn(versions, 'list'))
  })

  test('every write ends them: what became private is never sent again', async () => {
    const { path: later, slug: name } = await stage.newCollection()
    const url = list()
    const page = `/ada/${name}`
    expect((await getTwice(anyone, url)).text).toContain(`"${name}"`)
    await getTwice(visitor, page)
    await expectStatus(ada.patch(later, { public: false }), 200)
    expect((await anyone.get(url)).text).not.toContain(`"${name}"`)
    expect((await visitor.get(page)).status).toBe(404)
  })

  test('an answer read before a write that ends during it is not repeated', async () => {
    const url = list()
    const { collections } = stage.server.registry
    const { browse } = collections
    await anyone.get(url)
    let made = ''
    vi.spyOn(collections, 'browse').mockImplementationOnce(async (ask) => {
      const page = await browse(ask)
      made = (await stage.newCollection()).slug
      return page
    })
    expect((await anyone.get(url)).text).not.toContain(`"${made}"`)
    expect((await anyone.get(url)).text).toContain(`"${made}"`)
  })

  test('callers with a credential, valid or not, neither get nor store them', async () => {
    const { cookie } = await stage.server.signIn('ada')
    const { path: hidden } = await stage.newCollection({ public: false })
    const owned = '/accounts/ada/collections?limit=60'
    const member = testClient(stage.server.url, { cookie })
    for (const client of [ada, member]) {
      await getTwice(client, owned)
      expect((await client.get(owned)).text).toContain(hidden.split('/').at(-1))
    }
    expect((await getTwice(anyone, owned)).text).not.toContain(hidden.split('/').at(-1))
    expect((await ada.get(owned)).text).toContain(hidden.split('/').at(-1))

    const page = testClient(stage.server.url, { cookie }, '')
    await getTwice(visitor, `/ada/${slug}`)
    expect((await visitor.get(`/ada/${slug}`)).text).toContain('Sign in')
    expect((await page.get(`/ada/${slug}`)).text).not.toContain('Sign in')
    const outdated = testClient(stage.server.url, { cookie: `${cookie}x` }, '')
    const reads = vi.spyOn(stage.server.registry, 'databaseState')
    await getTwice(outdated, `/ada/${slug}`)
    await getTwice(page, `/ada/${slug}`)
    expect((await testClient(stage.server.url, 'ul_none').get('/collections')).status).toBe(401)
    expect(reads).not.toHaveBeenCalled()
  })
})
