/** `GET /api/accounts/me/export`: everything that is stored of the caller, in its stated shape, and nothing of others. */
import { insertAuditEvents, openDatabase } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { AccountExport } from '@ulmus/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOrg, serveForTest, type TestServer } from '../../testing/serve.ts'
import { pushVersion } from '../../testing/stage.ts'
import { expectStatus, type TestClient, testClient } from '../../testing/test-client.ts'

const ends: (() => Promise<void>)[] = []
let server: TestServer
let ada: TestClient
let eve: TestClient
let adaId: string
let key: string
let cookies: { ada: string; eve: string }
/** Adds audit events of ada, as a long life does. */
let addActs: (count: number) => Promise<void>

beforeAll(async () => {
  const { settings, dispose } = await databases[1]!.settings()
  server = await serveForTest(settings, { outside: { allow: 'http://127.0.0.1:1/' } })
  ends.push(() => server.close(), dispose)
  const signedIn = await server.signIn('ada', { email: 'ada@example.org' })
  cookies = {
    ada: signedIn.cookie,
    eve: (await server.signIn('eve', { email: 'eve@secret.example' })).cookie,
  }
  adaId = signedIn.account.id
  key = await server.keyFor(cookies.ada, 'admin', { label: 'nightly' })
  ada = testClient(server.url, key)
  eve = testClient(server.url, await server.keyFor(cookies.eve, 'admin', { label: 'key of eve' }))
  addActs = async (count) => {
    const database = await openDatabase({ url: settings.url! } as Parameters<typeof openDatabase>[0])
    const at = new Date('2026-01-01T00:00:00Z')
    const row = () => ({
      ...{
        id: crypto.randomUUID(),
        at,
        accountId: adaId,
        actorId: adaId,
        action: 'key.made',
        means: {},
        details: {},
      },
      target: 'many',
    })
    await database.transact((tx) => insertAuditEvents(tx, Array.from({ length: count }, row)))
    await database.close()
  }
  await furnish()
})
afterAll(async () => {
  for (const end of ends) await end()
})

const made = (work: Promise<unknown>) => expectStatus(work as never, 201)

async function furnish(): Promise<void> {
  await made(ada.post('/accounts/ada/collections', { slug: 'old-maps', public: true }))
  await ada.patch('/collections/ada/old-maps', { slug: 'maps' })
  await pushVersion(ada, '/collections/ada/maps', {
    opening: { schemas: { A: {} }, message: 'The first' },
    puts: [{ id: 'a-record', type: 'A', data: {} }],
  })
  await made(ada.post('/collections/ada/maps/questions', { name: 'All', type: 'A' }))
  await made(ada.post('/collections/ada/maps/webhooks', { url: 'http://127.0.0.1:1/', label: 'CI' }))
  await addOrg(server, { cookie: cookies.eve }, 'guild', { ada: 'member' })
  await made(eve.post('/accounts/guild/collections', { slug: 'plans' }))
  await pushVersion(ada, '/collections/guild/plans', { opening: { schemas: { A: {} }, message: 'Mine' } })
  await addOrg(server, { cookie: cookies.ada }, 'club')
  await made(ada.post('/accounts/club/invitations', { email: 'friend@secret.example', role: 'member' }))
  await made(eve.post('/accounts', { slug: 'circle', displayName: 'Circle' }))
  await made(eve.post('/accounts/circle/invitations', { user: 'ada', role: 'admin' }))
  await made(eve.post('/accounts/eve/collections', { slug: 'birds' }))
  await expectStatus(eve.put('/collections/eve/birds/collaborators/ada', { grant: 'write' }), 200)
}

const exported = async (): Promise<AccountExport> => {
  const { json } = await expectStatus(ada.get('/accounts/me/export'), 200)
  expect(AccountExport.parse(json), 'no member without a shape').toEqual(json)
  return json
}

test('has every section', async () => {
  const { account, ...all } = await exported()
  expect(account).toMatchObject({ id: adaId, slug: 'ada', email: 'ada@example.org', type: 'user' })
  expect(all.identities).toEqual([{ issuer: 'urn:ulmus:development', subject: 'ada' }])
  expect(all.sessions).toHaveLength(1)
  expect(all.keys).toMatchObject([
    { label: 'nightly', scope: 'admin', collection: null, start: key.slice(0, 9) },
  ])
  expect(all.memberships.map(({ organization, role }) => [organization, role])).toEqual(
    expect.arrayContaining([
      ['guild', 'member'],
      ['club', 'owner'],
    ]),
  )
  expect(all.collaborations).toMatchObject([{ collection: 'eve/birds', grant: 'write', invitedBy: 'eve' }])
  expect(all.organizationsMade).toMatchObject([{ slug: 'club' }])
  expect(all.invitationsReceived).toMatchObject([{ organization: 'circle', role: 'admin', invitedBy: 'eve' }])
  expect(all.invitationsMade).toMatchObject([{ organization: 'club', user: null }])
  expect(all.collections).toMatchObject([{ slug: 'maps', export: '/api/collections/ada/maps/export' }])
  expect((await ada.get(all.collections[0]!.export!.slice('/api'.length))).status).toBe(200)
  expect(all.formerCollectionSlugs).toMatchObject([{ slug: 'old-maps' }])
  expect(all.questions).toMatchObject([{ collection: 'ada/maps', slug: 'all', type: 'A' }])
  expect(all.webhooks).toMatchObject([{ account: 'ada', collection: 'ada/maps', label: 'CI' }])
  expect(all.pushes.map(({ collection }) => collection)).toEqual(['ada/maps', 'guild/plans'])
  expect(all.pushes[0]!.committedBy).toMatchObject({ address: '127.0.0.1' })
  expect(all.versions).toMatchObject([
    { collection: 'ada/maps', semver: 'v1.0.0', message: 'The first' },
    { collection: 'guild/plans', semver: 'v1.0.0', message: 'Mine' },
  ])
  await expect.poll(async () => (await exported()).events.length, { timeout: 20_000 }).toBeGreaterThan(1)
  expect(all.acts.map(({ action, account: log }) => [action, log])).toEqual(
    expect.arrayContaining([
      ['key.made', 'ada'],
      ['version.made', 'guild'],
      ['organization.made', 'club'],
    ]),
  )
})

test('has no secrets, no records and nothing of others but slugs', async () => {
  const text = JSON.stringify(await exported())
  expect(text).not.toMatch(/secret|key of eve|a-record|hash|token/i)
  expect(text).not.toContain(key.slice(0, 12))
})

test('names a private collection of an organization only to its members', async () => {
  await expectStatus(eve.delete('/accounts/guild/members/ada'), 200)
  await eve.patch('/collections/guild/plans', { slug: 'renamed-plans' })
  const all = await exported()
  expect(JSON.stringify(all)).not.toContain('renamed-plans')
  expect(all.versions.map(({ collection, message }) => [collection, message])).toEqual([
    ['ada/maps', 'The first'],
    [null, 'Mine'],
  ])
  expect(all.acts.filter(({ account }) => account === 'guild').map(({ details }) => details)).toEqual([null])
})

test('pages through many rows of the same instant, each once', async () => {
  await addActs(321)
  const acts = (await exported()).acts.filter(({ target }) => target === 'many')
  expect([acts.length, new Set(acts.map(({ id }) => id)).size]).toEqual([321, 321])
})

test('is a download, for a session or a key that manages', async () => {
  const { headers } = await testClient(server.url, { cookie: cookies.ada }).get('/accounts/me/export')
  expect(headers['content-disposition']).toBe('attachment; filename="account.json"')
  expect(headers['cache-control']).toMatch(/no-store|private/)
  const reader = testClient(server.url, await server.keyFor(cookies.ada, 'read'))
  expect((await reader.get('/accounts/me/export')).json.code).toBe('insufficient_scope')
  expect((await testClient(server.url).get('/accounts/me/export')).status).toBe(401)
})
