/** The examples of the API description succeed when they are sent in order to a new registry after one sign-in. */
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Contract, contractOf, exampleOf, type Instead, requestOf } from '../testing/contract.ts'
import { trustedJobs } from '../testing/jobs.ts'
import { serveForTest } from '../testing/serve.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

let contract: Contract
/** With a session, like the API reference page. */
let ada: TestClient
let end: () => Promise<void>

beforeAll(async () => {
  const { settings, dispose } = await databases[0]!.settings()
  const jobs = await trustedJobs()
  const server = await serveForTest(settings, { trustedIssuersFile: jobs.file })
  end = async () => {
    jobs.end()
    await server.close()
    await dispose()
  }
  contract = contractOf((await testClient(server.url).get('/openapi.json')).json)
  await server.signIn('grace')
  ada = testClient(server.url, await server.signIn('ada'), '')
})
afterAll(() => end?.())

/** Sends the example of an operation, which must succeed as described. Returns the answer's body. */
async function send(id: string, instead: Instead = {}) {
  const call = contract.call(id)
  const { path, options } = requestOf(call, instead)
  const answer = await ada.request(call.method, path, options)
  expect(answer.status, `${id}: ${answer.text}`).toBeLessThan(303)
  expect(contract.faultsOf(call, answer)).toEqual([])
  return answer.json
}

/** Sends the example, then again without each optional parameter, one at a time. */
async function sendAll(id: string, instead: Instead = {}): Promise<void> {
  await send(id, instead)
  const { parameters = [] } = contract.call(id).operation
  for (const one of parameters.filter(({ in: place, required }) => place === 'query' && !required))
    await send(id, { ...instead, query: { ...instead.query, [one.name]: String(exampleOf(one)) } })
}

/** Polls the state of a job or session until it has ended. */
async function wait(id: string, path: Record<string, string>): Promise<string> {
  for (;;) {
    const { status } = await send(id, { path })
    if (status !== 'running' && status !== 'committing') return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('from an account to a published collection, and from there to everything that reads', async () => {
  await send('createOrganization')
  await send('setMember')
  const key = await send('createKey')
  await send('createCollection')

  const push = { id: (await send('openPush')).session_id }
  await send('pushRecords', { path: push })
  await send('pushDeletes', { path: push })
  await send('uploadFile')
  await sendAll('getPush', { path: push })
  const dryRun = { semver: 'v1.0.0', changes: { added: 2, updated: 0, removed: 0 } }
  expect(await send('commitPush', { path: push, query: { dry_run: 'true' } })).toMatchObject(dryRun)
  expect(await send('commitPush', { path: push })).toMatchObject({
    semver: 'v1.0.0',
    recordCount: 2,
    fileCount: 1,
  })

  for (const id of [
    'getAccount',
    'getOwnAccount',
    'listKeys',
    'listBrowserSessions',
    'countCollections',
    'getCollection',
    'getVersion',
    'listVersionFiles',
    'listEvents',
  ])
    await send(id)
  for (const id of [
    'listMemberships',
    'listMyCollections',
    'listMembers',
    'browseCollections',
    'listCollections',
    'listVersions',
  ])
    await sendAll(id)
  for (const id of [
    'listRecords',
    'streamDiff',
    'streamRecords',
    'getRecord',
    'getRecordHistory',
    'getManifest',
    'getDiff',
  ])
    await sendAll(id)
  for (const id of ['downloadFile', 'exportVersion']) await sendAll(id)

  const opened = await send('openSnapshot')
  expect(opened).toMatchObject({ needed_records: told('openSnapshot').needed_records })
  const snapshot = { id: opened.session_id }
  expect(await send('sendSnapshotRecords', { path: snapshot })).toEqual({ received: 2, remaining: 0 })
  await sendAll('getSnapshot', { path: snapshot })
  await send('commitSnapshot', { path: snapshot, query: { async: 'true' } })
  expect(await wait('getSnapshot', snapshot)).toBe('committed')
  expect(await send('getDiff')).toMatchObject({ added: told('getDiff').added })
  expect(await send('getRecord')).toEqual(told('getRecord'))

  expect((await send('updateMetadata')).semver).toBe('v1.1.1')
  const { job_id } = await send('updateMetadata', { query: { async: 'true' }, body: { license: null } })
  expect(await wait('getMetadataJob', { job_id })).toBe('completed')

  const { semver, restored } = await send('restoreVersion', { path: { v: 'v1.1.0' }, body: {} })
  expect([semver, restored]).toEqual(['v1.1.3', 'v1.1.0'])
  await send('forkCollection')
  const publisher = { path: { id: (await send('createPublisher')).id } }
  await send('listPublishers')
  for (const id of ['getPublisher', 'updatePublisher', 'removePublisher']) await send(id, publisher)
  await send('updateCollection')
  await send('updateAccount')
  await send('removeMember')
  await send('revokeKey', { path: { id: key.id } })
  const [session] = await send('listBrowserSessions')
  await send('endOtherBrowserSessions')
  expect(await send('listBrowserSessions')).toEqual([session])
})

test('a manifest in chunks, and sessions that are given up', async () => {
  const { semver } = (await ada.get('/api/collections/ada/cities')).json.latestVersion
  const body = { base_version: semver, schemas: { City: {}, Country: {} }, manifest_expected: 2 }
  const snapshot = { id: (await send('openSnapshot', { body })).session_id }
  expect(await send('sendManifest', { path: snapshot })).toMatchObject({ received: 2, manifest_received: 2 })
  await send('cancelSnapshot', { path: snapshot })
  const push = { id: (await send('openPush', { body: { base_version: semver } })).session_id }
  await send('cancelPush', { path: push })
})

test('what ends it', async () => {
  const { latest } = await send('previewRecordErasure')
  await send('eraseRecord', { body: { base_version: latest } })
  await send('deleteCollection', { path: { owner: 'atlas', slug: 'world-cities' } })
  await send('deleteCollection')
  await send('deleteAccount')
  await sendAll('signIn')
  await send('signOut')
})

/** The example of an operation's answer. */
const told = (id: string): Record<string, unknown> =>
  contract.call(id).operation.responses['200']!.content!['application/json']!.example as Record<
    string,
    unknown
  >
