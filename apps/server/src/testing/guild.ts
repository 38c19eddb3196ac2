/**
 * Fixture of the permission tables: the organization `guild`, its public and its private collection, and callers of every kind, with
 * sessions and keys.
 */
import type { TestDatabase } from '@ulmus/storage/testing'
import type { Place } from '../routes/permissions.table.ts'
import { devIssuer } from '../sign-in/dev-provider.ts'
import { trustedJobs } from './jobs.ts'
import { serveForTest, type TestServer } from './serve.ts'
import { pushVersion, put } from './stage.ts'
import { expectStatus, type TestClient, testClient } from './test-client.ts'

/** Latest version of both collections, with the record `1` of type `A`. */
export const currentVersion = 'v1.0.0'
/** Former latest version of both collections, now withdrawn. */
export const withdrawn = 'v1.1.0'

/** Address of webhooks: allowed, and without a receiver, so that connections are refused at once. */
export const hookUrl = 'https://127.0.0.2:1/hook'
/** The same for test requests, which count with other requests to their host: ten a minute. */
export const testedUrl = 'https://127.0.0.3:1/hook'

const scopes = ['read', 'write', 'admin'] as const
const keySeconds = 60

export interface Guild {
  readonly server: TestServer
  /**
   * Client of a caller, by its name in the tables: `anon`; with a session `own`, `adm`, `mem`, `str`, `oper`, `sus`, `grace`, and the collaborators `rd`, `wr`, `mg` and the former one `ex`; `ended`
   * with an expired one; `own-read` and so on with a key; `here` and `there` with write keys of the owner, limited to the collection at the
   * place and to another one; `here-admin` with such a key of scope `admin`; `own-capped` with a write key capped at the role `member`; `job` with a key of a trusted publisher of the collection; `two` with a write key of the owner for the public and the private collection; `unknown`, `malformed`, `expired` and `revoked` with invalid keys.
   */
  client(caller: string, place: Place): TestClient
  /** True if a caller has this name. */
  knows(caller: string): boolean
  /** Recreates deleted collections and the keys that were deleted with them, and signs in callers that were signed out. */
  renew(): Promise<void>
  end(): Promise<void>
}

/** Paths of the clients begin at the root of the site. */
export async function setGuild(database: TestDatabase): Promise<Guild> {
  const { settings, dispose } = await database.settings()
  // The key expires soon; the clock then moves past its expiry.
  let behind = 2 * keySeconds * 1_000
  const now = () => new Date(Date.now() - behind)
  const operators = [{ issuer: devIssuer, subject: 'oper' }]
  const jobs = await trustedJobs(now)
  const server = await serveForTest(settings, {
    ...{ operators, now, trustedIssuersFile: jobs.file },
    outside: { allow: [hookUrl, testedUrl].map((url) => new URL(url).origin).join(',') },
  })
  const people = await peopleOf(server)
  const ofOwner = people.get('own-admin')!
  const limited = new Map<Place, TestClient>()
  const limitedAdmins = new Map<Place, TestClient>()
  const ofJobs = new Map<Place, TestClient>()
  let ofTwo: TestClient

  /** Two versions, of which the second is withdrawn. */
  async function fill(slug: string): Promise<void> {
    const path = `/api/collections/guild/${slug}`
    await pushVersion(ofOwner, path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
    await pushVersion(ofOwner, path, { base: currentVersion, puts: [put('2')] })
    await expectStatus(ofOwner.post(`${path}/versions/${withdrawn}/withdraw`, { reason: 'It was wrong.' }))
    const question = { name: 'Asked', type: 'A', public: true }
    await expectStatus(ofOwner.post(`${path}/questions`, question), 201)
  }
  const make = async (slug: string, isPublic: boolean): Promise<string> =>
    (await expectStatus(ofOwner.post('/api/accounts/guild/collections', { slug, public: isPublic }))).json.id
  async function renew(): Promise<void> {
    await people.signInAgain()
    let isNew = false
    for (const place of ['public', 'private'] as const) {
      const { status } = await ofOwner.get(`/api/collections/guild/${place}`)
      if (status === 200) continue
      isNew = true
      const collectionId = await make(place, place === 'public')
      await fill(place)
      for (const [user, grant] of Object.entries({ rd: 'read', wr: 'write', mg: 'admin', ex: 'admin' }))
        await expectStatus(ofOwner.put(`/api/collections/guild/${place}/collaborators/${user}`, { grant }))
      await expectStatus(ofOwner.delete(`/api/collections/guild/${place}/collaborators/ex`))
      const key = await server.keyFor(people.cookieOf('own'), 'write', { collectionId })
      limited.set(place, testClient(server.url, key, ''))
      const managing = await server.keyFor(people.cookieOf('own'), 'admin', { collectionId })
      limitedAdmins.set(place, testClient(server.url, managing, ''))
      const made = await jobs.keyFor(ofOwner, server.url, `guild/${place}`)
      ofJobs.set(place, testClient(server.url, made, ''))
    }
    if (!isNew) return
    const collections = ['guild/public', 'guild/private']
    const key = await server.keyFor(people.cookieOf('own'), 'write', { collections })
    ofTwo = testClient(server.url, key, '')
  }

  await expectStatus(ofOwner.post('/api/accounts', { slug: 'guild', displayName: 'Guild' }))
  await expectStatus(ofOwner.put('/api/accounts/guild/members/adm', { role: 'admin' }))
  await expectStatus(ofOwner.put('/api/accounts/guild/members/mem', { role: 'member' }))
  await make('taken', false)
  await renew()
  await expectStatus(people.get('oper')!.patch('/api/admin/accounts/sus', { suspended: true }))
  behind = 0

  return {
    server,
    client(caller, place) {
      const other = place === 'private' ? 'public' : 'private'
      if (caller === 'here') return limited.get(place) ?? limited.get('private')!
      if (caller === 'here-admin') return limitedAdmins.get(place) ?? limitedAdmins.get('private')!
      if (caller === 'two') return ofTwo
      if (caller === 'job') return ofJobs.get(place) ?? ofJobs.get('private')!
      return caller === 'there' ? limited.get(other)! : people.get(caller)!
    },
    knows: (caller) =>
      ['here', 'there', 'here-admin', 'job', 'two'].includes(caller) || people.get(caller) !== undefined,
    renew,
    async end() {
      await server.close()
      jobs.end()
      await dispose()
    },
  }
}

async function peopleOf(server: TestServer) {
  const { url } = server
  const cookies = new Map<string, string>()
  const clients = new Map([['anon', testClient(url, undefined, '')]])
  const cookieOf = (name: string) => cookies.get(name)!
  async function signIn(name: string): Promise<void> {
    cookies.set(name, (await server.signIn(name)).cookie)
    clients.set(name, testClient(url, { cookie: cookieOf(name) }, ''))
  }
  for (const name of ['own', 'adm', 'mem', 'str', 'oper', 'sus', 'grace', 'rd', 'wr', 'mg', 'ex']) {
    await signIn(name)
    if (name === 'grace') continue
    for (const scope of scopes)
      clients.set(`${name}-${scope}`, testClient(url, await server.keyFor(cookieOf(name), scope), ''))
  }
  const capped = await server.keyFor(cookieOf('own'), 'write', { roleCap: 'member' })
  clients.set('own-capped', testClient(url, capped, ''))
  const session = await server.signIn('own')
  clients.set('ended', testClient(url, { cookie: session.cookie }, ''))
  await clients.get('ended')!.post('/sign-out')

  const key = (text: string) => testClient(url, text, '')
  const ends = new Date(Date.now() - keySeconds * 1_000).toISOString()
  const expiring = await server.keyFor(cookieOf('own'), 'admin', { expiresAt: ends })
  const revoked = await server.keyFor(cookieOf('own'), 'admin', { label: 'revoked' })
  const keys = (await clients.get('own')!.get('/api/accounts/keys')).json
  const { id } = keys.find(({ label }: { label: string }) => label === 'revoked')
  await clients.get('own')!.delete(`/api/accounts/keys/${id}`)
  clients.set('unknown', key(`ul_${'x'.repeat(48)}`)).set('malformed', key('x y'))
  clients.set('expired', key(expiring)).set('revoked', key(revoked))
  return {
    get: (name: string) => clients.get(name),
    cookieOf,
    async signInAgain() {
      for (const name of ['own', 'str']) {
        const { status } = await clients.get(name)!.get('/settings')
        if (status !== 200) await signIn(name)
      }
    },
  }
}
