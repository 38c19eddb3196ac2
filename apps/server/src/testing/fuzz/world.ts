/**
 * Accounts, collections and their content as targets for requests, and the callers. Requests of a fuzz run delete, rename and revoke what
 * they can, so the world is created again every few hundred requests; earlier targets stay known.
 */

import { type Contract, type Instead, requestOf } from '../contract.ts'
import type { TestServer } from '../serve.ts'
import { type TestClient, testClient } from '../test-client.ts'
import type { placesOf } from './places.ts'

export interface Caller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** True if it has most permissions. */
  readonly mayWrite: boolean
  /** Signs in again and makes a new key. */
  renew(): Promise<void>
}

type Headers = Readonly<Record<string, string>>

type Example = Record<string, unknown>
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

export function worldOf(server: TestServer, contract: Contract, places: ReturnType<typeof placesOf>) {
  /** Sends the request of an operation's examples. @throws Error if it is refused */
  async function act(by: TestClient, id: string, path: Record<string, string>, more: Instead = {}) {
    const call = contract.call(id)
    const { path: target, options } = requestOf(call, { path, ...more })
    const response = await by.request(call.method, target, options)
    if (response.status >= 300) throw new Error(`${id} ${target}: ${response.status} ${response.text}`)
    places.learn(call, path, response.json)
    places.learnSent(more.body)
    // biome-ignore lint/suspicious/noExplicitAny: members of answers of any operation.
    return response.json as any
  }

  /** A collection with two versions, a file, open and ended pushes, a job and a fork. */
  async function fill(ada: TestClient, owner: string, org: string, number: number): Promise<string> {
    const at = { owner, slug: 'cities' }
    await act(ada, 'createCollection', { owner }, { body: { slug: 'former', public: number % 3 !== 0 } })
    await act(ada, 'updateCollection', { owner, slug: 'former' }, { body: { slug: 'cities' } })
    await act(ada, 'createCollection', { owner }, { body: { slug: 'empty', public: true } })
    const { hash } = await act(ada, 'uploadFile', { ...at, ...exampleHash(contract) })
    const { session_id: id } = await act(ada, 'openPush', at)
    await act(ada, 'pushRecords', { ...at, id })
    await act(ada, 'commitPush', { ...at, id })
    await act(ada, 'downloadFile', { ...at, hash })
    await act(ada, 'updateMetadata', at)
    const { job_id } = await act(ada, 'updateMetadata', at, {
      query: { async: 'true' },
      body: { license: 'MIT' },
    })
    let job = await act(ada, 'getMetadataJob', { ...at, job_id })
    while (job.status === 'running') job = await act(ada, 'getMetadataJob', { ...at, job_id })
    const { semver } = job.result
    const publisher = await act(ada, 'createPublisher', at)
    await act(ada, 'getPublisher', { ...at, id: publisher.id })
    const webhook = await act(ada, 'createWebhook', at)
    await act(ada, 'getWebhook', { id: webhook.id })
    await act(ada, 'replayWebhook', { id: webhook.id })
    await act(ada, 'listDeliveries', { id: webhook.id })
    const ended = await act(ada, 'openPush', at, { body: { base_version: semver } })
    await act(ada, 'cancelPush', { ...at, id: ended.session_id })
    const { requestBody } = contract.call('openSnapshot').operation
    const { manifest: _listed, ...open } = requestBody!.content['application/json']!.example as Example
    for (let n = 0; n < 4; n++) {
      await act(ada, 'openPush', at, { body: { base_version: semver } })
      const snapshot = await act(ada, 'openSnapshot', at, {
        body: { ...open, base_version: semver, manifest_expected: 2 },
      })
      if (n % 2 === 0) await act(ada, 'sendManifest', { ...at, id: snapshot.session_id })
    }
    const listed = await act(ada, 'getCollection', at)
    for (const { type, id: record } of (await act(ada, 'listRecords', { ...at, v: 'latest' })).records)
      await act(ada, 'getRecord', { ...at, v: 'latest', type, id: record })
    if (number % 3 !== 0) await act(ada, 'forkCollection', at, { body: { targetOrg: org, slug: 'fork' } })
    return listed.id as string
  }

  async function callerOf(name: string, credential: () => Promise<Headers>): Promise<Caller> {
    const caller = {
      name,
      headers: await credential(),
      mayWrite: /^owner by (?:session|an admin key|a write key)$/.test(name),
      async renew() {
        caller.headers = await credential()
      },
    }
    return caller
  }

  /** @param number part of their logins */
  function callersOf(number: number, collectionId: string): Promise<Caller[]> {
    const sessionOf = async (login: string) => ({
      cookie: (await server.signIn(`${login}-${number}`)).cookie,
      ...sameOrigin,
    })
    const keyOf = async (login: string, scope: 'read' | 'write' | 'admin') =>
      bearer(await server.keyFor((await sessionOf(login)).cookie, scope))
    /** Limited to one collection; without a limit if that collection was deleted. */
    const limited = async () => {
      const { cookie } = await sessionOf('ada')
      const key = await server.keyFor(cookie, 'write', { collectionId }).catch(() => null)
      return bearer(key ?? (await server.keyFor(cookie, 'write')))
    }
    const credentials: [name: string, credential: () => Promise<Headers>][] = [
      ['anon', async () => ({})],
      ['owner by session', () => sessionOf('ada')],
      ['owner by session of another site', async () => ({ cookie: (await sessionOf('ada')).cookie })],
      ['owner by an admin key', () => keyOf('ada', 'admin')],
      ['owner by an admin key', () => keyOf('ada', 'admin')],
      ['owner by an admin key', () => keyOf('ada', 'admin')],
      ['owner by a write key', () => keyOf('ada', 'write')],
      ['owner by a write key', () => keyOf('ada', 'write')],
      ['owner by a read key', () => keyOf('ada', 'read')],
      ['owner by a limited key', limited],
      ['member by a write key', () => keyOf('grace', 'write')],
      ['stranger by an admin key', () => keyOf('eve', 'admin')],
      ['stranger by session', () => sessionOf('eve')],
      [
        'key of one and session of another',
        async () => ({ ...(await sessionOf('ada')), ...(await keyOf('eve', 'read')) }),
      ],
    ]
    return Promise.all(credentials.map(([name, credential]) => callerOf(name, credential)))
  }

  return {
    /** Creates everything again. @param number index of the world, part of all names */
    async furnish(number: number): Promise<readonly Caller[]> {
      places.age()
      const [login, org] = [`ada-${number}`, `atlas-${number}`]
      const ada = await server.signIn(login)
      await server.signIn(`grace-${number}`)
      const client = testClient(server.url, await server.keyFor(ada.cookie, 'admin'), '')
      await act(client, 'createOrganization', {}, { body: { slug: `old-${org}`, displayName: 'Atlas' } })
      await act(client, 'updateAccount', { slug: `old-${org}` }, { body: { slug: org } })
      await act(client, 'setMember', { slug: org, user: `grace-${number}` }, { body: { role: 'member' } })
      await act(client, 'listMembers', { slug: org })
      const collectionId = await fill(client, number % 2 === 0 ? login : org, org, number)
      await act(client, 'createKey', {}, { body: { label: 'doomed', scope: 'read' } })
      await act(testClient(server.url, ada, ''), 'listBrowserSessions', {})
      return callersOf(number, collectionId)
    },
  }
}

/** The hash in the example of an upload. */
function exampleHash(contract: Contract): Record<string, string> {
  const { parameters = [] } = contract.call('uploadFile').operation
  const hash = parameters.find(({ name }) => name === 'hash')
  return hash === undefined ? {} : { hash: String(hash.example) }
}
