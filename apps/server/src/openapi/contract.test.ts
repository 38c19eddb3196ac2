/** Real refusals of every operation match the API description: status, code, headers and shape. */
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { devIssuer } from '../sign-in/dev-provider.ts'
import {
  type Contract,
  contractOf,
  type DescribedCall,
  type Instead,
  requestOf,
} from '../testing/contract.ts'
import { formOf, trustedJobs } from '../testing/jobs.ts'
import { type Overrides, serveForTest, stoppedClock } from '../testing/serve.ts'
import {
  type RequestOptions,
  type TestClient,
  type TestResponse,
  testClient,
  whenBuilt,
} from '../testing/test-client.ts'

let contract: Contract
let url: string
/** Callers: Ada's session, her admin key, her read key, and the admin key of another user. */
let session: { cookie: string }
let ada: TestClient
let reader: TestClient
let eve: TestClient
/** Ids from earlier answers. */
let ids: Record<
  'token' | 'push' | 'ended' | 'committed' | 'snapshot' | 'job' | 'key' | 'webhook' | 'publisher' | 'report',
  string
>
/** A receiver that no request reaches. */
const refusing = 'http://127.0.0.1:1/'
let jobs: Awaited<ReturnType<typeof trustedJobs>>
const ends: (() => Promise<void>)[] = []
/** `METHOD path status` of every refusal so far. */
const seen = new Set<string>()

async function serve(overrides: Overrides = {}) {
  const { settings, dispose } = await databases[0]!.settings()
  const server = await serveForTest(settings, overrides)
  ends.push(async () => {
    await server.close()
    await dispose()
  })
  return server
}

beforeAll(async () => {
  const operators = [{ issuer: devIssuer, subject: 'ada' }]
  jobs = await trustedJobs()
  ends.push(async () => jobs.end())
  const server = await serve({
    ...{ fileBytesMax: 1_000, operators, trustedIssuersFile: jobs.file },
    outside: { allow: refusing },
  })
  url = server.url
  contract = contractOf((await testClient(url).get('/openapi.json')).json)
  session = await server.signIn('ada')
  await server.signIn('grace')
  ada = testClient(url, await server.keyFor(session.cookie, 'admin'), '')
  reader = testClient(url, await server.keyFor(session.cookie, 'read'), '')
  eve = testClient(url, await server.keyFor((await server.signIn('eve')).cookie, 'admin'), '')
  await furnish()
})
afterAll(async () => {
  for (const end of ends) await end()
})

/** Creates the objects of the examples, renames them once so that former slugs exist, and creates sessions, a job and a key. */
async function furnish(): Promise<void> {
  await send('createOrganization', { body: { slug: 'old-atlas', displayName: 'Atlas' } })
  await send('updateAccount', { path: { slug: 'old-atlas' }, body: { slug: 'atlas' } })
  await send('createCollection', { body: { slug: 'old-cities', public: true } })
  await send('createCollection', { body: { slug: 'empty', public: true } })
  await send('updateCollection', { path: { slug: 'old-cities' }, body: { slug: 'cities' } })
  await send('uploadFile')
  const open = async (id: string, instead?: Instead) => (await send(id, instead)).json.session_id as string
  const first = await open('openPush')
  await send('pushRecords', { path: { id: first } })
  await send('commitPush', { path: { id: first } })
  const key = (await send('createKey', { body: { label: 'strong', scope: 'admin' } })).json.id
  const job = (await send('updateMetadata', { query: { async: 'true' } })).json.job_id
  await vi.waitFor(async () => {
    const { status } = (await send('getMetadataJob', { path: { job_id: job } })).json
    expect(status).toBe('completed')
  }, 20_000)
  const base_version = 'v1.0.1'
  const schemas = { City: {}, Country: {} }
  const push = await open('openPush', { body: { base_version } })
  const ended = await open('openPush', { body: { base_version } })
  await send('cancelPush', { path: { id: ended } })
  const snapshot = await open('openSnapshot', { body: { base_version, schemas, manifest_expected: 2 } })
  await eve.post('/api/accounts/eve/collections', { slug: 'cited', public: true })
  const cited = '/api/collections/eve/cited/pushes'
  const { session_id } = (await eve.post(cited, { base_version: null, schemas: { A: {} } })).json
  expect((await eve.post(`${cited}/${session_id}/commit`, {})).status).toBe(201)
  const invited = { email: 'guest@example.org', role: 'member' }
  const { token } = (await send('createInvitation', { body: invited })).json
  const webhook = (await send('createWebhook', { body: { url: refusing } })).json.id
  const publisher = (await send('createPublisher')).json.id
  await send('saveQuestion')
  await send('reportCollection')
  const report = (await ada.get('/api/admin/reports')).json[0].id
  ids = { token, push, ended, committed: first, snapshot, job, key, webhook, publisher, report }
}

async function send(id: string, instead?: Instead): Promise<TestResponse> {
  const call = contract.call(id)
  const { path, options } = requestOf(call, instead)
  const answer = await ada.request(call.method, path, options)
  if (answer.status >= 300) throw new Error(`${id}: ${answer.text}`)
  return answer
}

/** Path parameters of existing objects. */
const real = ({ operation }: DescribedCall): Record<string, string> => {
  const {
    push: pushes,
    snapshot: snapshots,
    key: keys,
    webhook: webhooks,
    publisher: publishing,
    report: reports,
  } = ids
  const id = { pushes, snapshots, keys, webhooks, publishing, reports }[operation.tags[0]!]
  return { job_id: ids.job, ...(id === undefined ? {} : { id }) }
}

/** Caller (default: `ada`), replacements of example values, and additional values. */
interface How {
  by?: TestClient
  instead?: Instead
  also?: RequestOptions
}

/** Sends a request. Returns how the answer differs from the expected status and from the description. */
async function refused(
  call: DescribedCall,
  status: number,
  { by = ada, instead = {}, also = {} }: How = {},
): Promise<string[]> {
  const { path, options } = requestOf(call, { ...instead, path: { ...real(call), ...instead.path } })
  const headers = { ...options.headers, ...also.headers }
  const answer = await by.request(call.method, path, { ...options, ...also, headers })
  seen.add(`${call.method} ${call.path} ${answer.status}`)
  const name = `${call.method} ${path}`
  if (answer.status !== status)
    return [`${name} was to be answered ${status}: ${answer.status} ${answer.text.slice(0, 200)}`]
  return contract.faultsOf(call, answer)
}

const hasCode = ({ operation }: DescribedCall, code: string): boolean =>
  Object.values(operation.responses).some((answer) => answer['x-codes']?.includes(code))

/** Provokes one kind of refusal in every operation that can return it. */
async function allRefused(
  status: number,
  isMeant: (call: DescribedCall) => boolean,
  how: (call: DescribedCall) => How = () => ({}),
): Promise<number> {
  const meant = contract.calls.filter(isMeant)
  const faults: string[] = []
  for (const call of meant) faults.push(...(await refused(call, status, how(call))))
  expect(faults).toEqual([])
  return meant.length
}

const isApi = ({ path }: DescribedCall): boolean => path.startsWith('/api/')
/** Writes that accept a session. A program that signs in has none yet. */
const writes = ({ method, path }: DescribedCall): boolean =>
  method !== 'GET' && !/^\/auth\/(?:device|exchange)/.test(path)

describe('every operation that can be', () => {
  test('is refused with 400 for a parameter that it does not know', async () => {
    const by = ada
    expect(
      await allRefused(400, isApi, () => ({ by, instead: { query: { nonsense: '1' } } })),
    ).toBeGreaterThan(40)
  })

  test('is refused with 401 for a key that is none', async () => {
    const by = testClient(url, 'ul_nonsense', '')
    await allRefused(
      401,
      (call) => hasCode(call, 'unauthenticated'),
      () => ({ by }),
    )
  })

  test('is refused with 403 for a scope too narrow, a stranger, and a page of another site', async () => {
    await allRefused(
      403,
      (call) => hasCode(call, 'insufficient_scope'),
      () => ({ by: reader }),
    )
    await allRefused(
      403,
      (call) => hasCode(call, 'not_a_member'),
      () => ({ by: eve }),
    )
    await allRefused(
      403,
      (call) => hasCode(call, 'not_an_operator'),
      () => ({ by: eve }),
    )
    const by = testClient(url, session, '')
    const also = { headers: { 'sec-fetch-site': 'cross-site' } }
    await allRefused(403, writes, () => ({ by, also }))
  })

  test('is refused with 403 if only trusted publishers may push', async () => {
    await send('updateCollection', { body: { publishersOnly: true } })
    const isPush = ({ method, path }: DescribedCall) =>
      method === 'POST' && /\/(?:pushes|negotiate)(?:\/|$)/.test(path)
    const isMeant = (call: DescribedCall) => isPush(call) || hasCode(call, 'publishers_only')
    expect(await allRefused(403, isMeant)).toBeGreaterThan(8)
    await send('updateCollection', { body: { publishersOnly: false } })
  })

  test('changes nothing if a change has no members', async () => {
    for (const call of contract.calls.filter(({ method }) => method === 'PATCH')) {
      const { path, options } = requestOf(call, { path: real(call), body: {} })
      expect((await ada.request('PATCH', path, options)).status, path).toBe(200)
    }
  })

  test('is answered 404 for what is not there', async () => {
    const hasPath = ({ path }: DescribedCall) => path.includes('{')
    const nothing = { owner: 'missing', slug: 'nothing', id: '0198c9a0-0000-7000-8000-000000000001' }
    const browser = testClient(url, session, '')
    await allRefused(404, hasPath, (call) => ({
      ...{ by: hasCode(call, 'session_required') ? browser : ada, instead: { path: nothing } },
    }))
  })

  test('is answered 404 for events of a collection that is not there', async () => {
    const call = contract.call('listEvents')
    const missing = { instead: { query: { collection: 'missing/nothing' } } }
    expect(await refused(call, 404, missing)).toEqual([])
  })

  test('is answered 410 for a collection that operators have hidden', async () => {
    await eve.post('/api/accounts/eve/collections', { slug: 'hidden', public: true })
    await send('hideCollection', { path: { owner: 'eve', slug: 'hidden' } })
    const isOfCollection = (call: DescribedCall) => hasCode(call, 'collection_hidden')
    const path = { owner: 'eve', slug: 'hidden' }
    expect(await allRefused(410, isOfCollection, () => ({ instead: { path } }))).toBeGreaterThan(60)
    const instead = { path, body: { public: true } }
    expect(await refused(contract.call('updateCollection'), 409, { by: eve, instead })).toEqual([])
    await send('showCollection', { path })
  })

  test('is answered 410 for a version that was withdrawn', async () => {
    await send('createCollection', { body: { slug: 'leaks', public: true } })
    const path = { slug: 'leaks' }
    const { session_id } = (
      await send('openPush', { path, body: { base_version: null, schemas: { A: {} } } })
    ).json
    await send('commitPush', { path: { ...path, id: session_id } })
    const question = { name: 'Countries by name', type: 'A', version: 'v1.0.0' }
    await send('saveQuestion', { path, body: question })
    await send('withdrawVersion', { path: { ...path, v: 'v1.0.0' } })
    const query = (call: DescribedCall): Record<string, string> =>
      call.path.endsWith('/export') ? { version: 'v1.0.0' } : {}
    const isMeant = (call: DescribedCall) => hasCode(call, 'version_withdrawn')
    const how = (call: DescribedCall): How => ({
      instead: {
        path: { ...path, v: 'v1.0.0' },
        query: query(call),
        ...(call.operation.tags[0] === 'questions' && call.method !== 'GET' && { body: question }),
      },
    })
    expect(await allRefused(410, isMeant, how)).toBeGreaterThan(8)
  })

  test('is answered 308 for a former slug', async () => {
    const former = ({ path }: DescribedCall): Record<string, string> => {
      if (path.startsWith('/api/collections')) return { slug: 'old-cities' }
      return path.includes('{owner}') ? { owner: 'old-atlas' } : { slug: 'old-atlas' }
    }
    const isMoved = ({ operation }: DescribedCall) => '308' in operation.responses
    await allRefused(308, isMoved, (call) => ({ instead: { path: former(call) } }))
  })

  test('is answered 304 for what the caller has', async () => {
    const gets = contract.calls.filter(({ operation }) => '304' in operation.responses)
    expect(gets.length).toBeGreaterThan(20)
    for (const call of gets) {
      const { path, options } = requestOf(call, { path: real(call) })
      let answer = await ada.request('GET', path, options)
      // The table is being built.
      while (answer.status === 202) answer = await ada.request('GET', path, options)
      const etag = String(answer.headers['etag'])
      expect(await refused(call, 304, { also: { headers: { 'if-none-match': etag } } })).toEqual([])
    }
  })

  test('is refused with 415 for a body of another kind', async () => {
    await allRefused(
      415,
      (call) => hasCode(call, 'unsupported_media_type'),
      ({ operation }): How =>
        operation.operationId === 'uploadFile'
          ? { also: { headers: { 'content-encoding': 'gzip' } } }
          : { also: { body: 'x', headers: { 'content-type': 'text/unknown' } } },
    )
  })

  test('is refused with 413 for a body too large', async () => {
    // The answer arrives before the whole body was sent, so the connection cannot be reused.
    const headers = { connection: 'close' }
    const json = { ...headers, 'content-type': 'application/json' }
    const mebibytes: Record<string, number> = { updateMetadata: 3, openPush: 33 }
    const lines: Record<string, number> = { sendManifest: 50_001 }
    // Another test sends the manifest of half a million entries that this needs.
    const isMeant = (call: DescribedCall) =>
      hasCode(call, 'too_large') && call.operation.operationId !== 'openSnapshot'
    await allRefused(413, isMeant, ({ operation: { operationId, requestBody } }): How => {
      if (operationId === 'uploadFile') return { also: { body: 'x'.repeat(1_001), headers } }
      if (operationId === 'exchangeToken') return { also: { body: 'x='.padEnd(70_000, 'x') } }
      if (requestBody?.content['application/x-ndjson'] !== undefined)
        return { also: { body: '{}\n'.repeat(lines[operationId] ?? 10_001), headers } }
      return { also: { body: `"${'x'.repeat((mebibytes[operationId] ?? 1) * 1_048_576)}"`, headers: json } }
    })
  })

  test('is refused with 429 when there were too many', async () => {
    const server = await serve({
      rateLimits: { anonymous: 1, account: 1, signIn: 1, reports: 1 },
      now: stoppedClock(),
    })
    const by = testClient(server.url, undefined, '')
    for (const path of ['/api/collections', '/auth/login']) await by.get(path)
    await by.post('/api/collections/ada/cities/report', {})
    await allRefused(
      429,
      () => true,
      () => ({ by }),
    )
  })

  test('is refused with 507 when the disk is full', async () => {
    const { settings, dispose } = await databases[0]!.settings()
    const before = await serveForTest(settings)
    const { cookie } = await before.signIn('ada')
    await before.stop()
    const where = settings.url === undefined ? { folder: join(before.dataFolder, 'database') } : settings
    // The largest reserve with which a server starts.
    const { bsize, blocks } = statfsSync(before.dataFolder)
    const server = await serveForTest(where, {
      dataFolder: before.dataFolder,
      diskReserveBytes: bsize * blocks,
    })
    ends.push(async () => {
      await server.close()
      await dispose()
    })
    const by = testClient(server.url, { cookie }, '')
    await allRefused(
      507,
      (call) => hasCode(call, 'storage_full'),
      () => ({ by }),
    )
  })
})

const taken = { body: { slug: 'cities' } }
const noSlug = { body: { slug: 'No slug' } }
const empty = { path: { slug: 'empty' } }
const ended = () => ({ path: { id: ids.ended } })

/** Other refusals: operation, status, and the request that provokes it. */
const particular: [string, number, () => Instead][] = [
  ['createOrganization', 409, () => ({})],
  ['createOrganization', 422, () => ({ body: { slug: 'me', displayName: 'Me' } })],
  ['updateAccount', 409, () => ({ body: { slug: 'eve' } })],
  ['updateAccount', 422, () => noSlug],
  ['deleteAccount', 409, () => ({ path: { slug: 'ada' } })],
  ['getSettings', 422, () => ({ path: { slug: 'ada' } })],
  ['createInvitation', 409, () => ({ body: { user: 'ada', role: 'member' } })],
  ['createInvitation', 422, () => ({ body: { user: 'atlas', role: 'member' } })],
  ['answerInvitation', 409, () => ({ path: { token: ids.token }, body: { accept: true } })],
  ['listInvitations', 422, () => ({ path: { slug: 'ada' } })],
  ['removeInvitation', 422, () => ({ path: { slug: 'ada' } })],
  ['operateAccount', 409, () => ({ path: { slug: 'atlas' }, body: { owner: 'ada' } })],
  ['operateAccount', 422, () => ({ path: { slug: 'atlas' } })],
  ['eraseAccount', 409, () => ({ path: { slug: 'eve' } })],
  ['eraseAccount', 422, () => ({ path: { slug: 'atlas' } })],
  ['linkIdentity', 409, () => ({ path: { slug: 'eve' }, body: { issuer: devIssuer, subject: 'grace' } })],
  ['linkIdentity', 422, () => ({ path: { slug: 'atlas' } })],
  ['handOverCollections', 422, () => ({ path: { slug: 'atlas' } })],
  ['listMembers', 422, () => ({ path: { slug: 'ada' } })],
  ['setMember', 409, () => ({ path: { user: 'ada' } })],
  ['setMember', 422, () => ({ path: { user: 'atlas' } })],
  ['setCollaborator', 409, () => ({ path: { user: 'ada' } })],
  ['setCollaborator', 422, () => ({ path: { user: 'atlas' } })],
  ['removeCollaborator', 422, () => ({ path: { user: 'atlas' } })],
  ['removeMember', 409, () => ({ path: { user: 'ada' } })],
  ['removeMember', 422, () => ({ path: { slug: 'ada' } })],
  ['createKey', 404, () => ({ body: { label: 'x', scope: 'read', collectionId: ids.push } })],
  ['createCollection', 409, () => taken],
  ['createCollection', 422, () => noSlug],
  ['updateCollection', 409, () => ({ ...empty, ...taken })],
  ['updateCollection', 422, () => noSlug],
  ['updateMetadata', 422, () => empty],
  ['forkCollection', 422, () => empty],
  ['listRecords', 404, () => ({ query: { type: 'Town' } })],
  ['streamRecords', 404, () => ({ query: { type: 'Town' } })],
  ['uploadFile', 400, () => ({ body: 'Another map' })],
  ['restoreVersion', 409, () => ({ path: { v: 'v1.0.0' }, body: { base_version: 'v9.9.9' } })],
  ['eraseRecord', 409, () => ({ body: { base_version: 'v9.9.9' } })],
  ['openPush', 409, () => ({ body: { base_version: null } })],
  ['openPush', 422, () => ({ body: { base_version: 'v1.0.1', schemas: { City: { type: 'no type' } } } })],
  ['pushRecords', 409, ended],
  ['pushRecords', 422, () => ({ body: '{"id":"x","type":"City","data":{"name":7}}\n{}' })],
  ['pushDeletes', 409, ended],
  ['pushDeletes', 422, () => ({ body: '{"id":"x","type":"Nothing"}\n' })],
  ['commitPush', 409, ended],
  ['openSnapshot', 409, () => ({})],
  ['openSnapshot', 422, () => ({ body: { base_version: 'v1.0.1', schemas: { '': {} }, manifest: [] } })],
  ['sendManifest', 422, () => ({ body: '{"id":"x"}\n' })],
  ['sendSnapshotRecords', 400, () => ({})],
  ['sendSnapshotRecords', 422, () => ({ body: '{"id":"x"}\n' })],
  ['commitSnapshot', 400, () => ({})],
]

test.each(particular)('%s is refused with %i as described', async (id, status, instead) => {
  expect(await refused(contract.call(id), status, { instead: instead() })).toEqual([])
})

test('a range that the file does not have, one that it has, and a fork that is there', async () => {
  const file = contract.call('downloadFile')
  expect(await refused(file, 416, { also: { headers: { range: 'bytes=99-' } } })).toEqual([])
  const parquet = contract.call('downloadParquet')
  await whenBuilt(() => ada.get(requestOf(parquet).path))
  expect(await refused(parquet, 416, { also: { headers: { range: 'bytes=9999999-' } } })).toEqual([])
  expect(await refused(file, 206, { also: { headers: { range: 'bytes=0-4' } } })).toEqual([])
  await send('forkCollection')
  expect(await refused(contract.call('forkCollection'), 409)).toEqual([])
  await send('createCollection', { path: { owner: 'atlas' }, body: { slug: 'empty' } })
  expect(await refused(contract.call('transferCollection'), 409, { instead: empty })).toEqual([])
})

test('a publisher too many, one of an issuer that is not trusted, and a token that is none', async () => {
  const create = contract.call('createPublisher')
  expect(
    await refused(create, 422, { instead: { body: { issuer: 'https://x.example', claims: {} } } }),
  ).toEqual([])
  for (const _ of Array.from({ length: 19 })) await send('createPublisher')
  expect(await refused(create, 409)).toEqual([])
  const without = await serve({})
  const { cookie } = await without.signIn('ada')
  const by = testClient(without.url, { cookie }, '')
  await by.post('/api/accounts/ada/collections', { slug: 'cities' })
  for (const call of [create, contract.call('exchangeToken')])
    expect(await refused(call, 501, { by })).toEqual([])
  const exchange = contract.call('exchangeToken')
  expect(await refused(exchange, 400)).toEqual([])
  const body = String(formOf(await jobs.token(url, { ref_protected: 'false' }), 'ada/cities'))
  expect(await refused(exchange, 400, { instead: { body } })).toEqual([])
})

test('a registry without a log', async () => {
  const without = await serve({ versionLog: 'off' })
  const { cookie } = await without.signIn('ada')
  const by = testClient(without.url, { cookie }, '')
  await by.post('/api/accounts/ada/collections', { slug: 'cities' })
  const pushes = '/api/collections/ada/cities/pushes'
  const { json } = await by.post(pushes, { base_version: null, schemas: { City: {} } })
  await by.post(`${pushes}/${json.session_id}/commit`, {})
  const instead = { path: { v: 'latest' } }
  for (const name of ['getLog', 'listStatements', 'getVersionLog'])
    expect(await refused(contract.call(name), 501, { by, instead })).toEqual([])
})

test('a version with data that is private now', async () => {
  const path = { slug: 'marks' }
  await send('createCollection', { body: { ...path, public: true } })
  for (const [base_version, data] of [[null, {}] as const, ['v1.0.0', { private: true }] as const]) {
    const schemas = { A: data }
    const { session_id } = (await send('openPush', { path, body: { base_version, schemas } })).json
    await send('commitPush', { path: { ...path, id: session_id } })
  }
  const instead = { path: { ...path, v: 'v1.0.0' }, body: {} }
  expect(await refused(contract.call('restoreVersion'), 422, { instead })).toEqual([])
})

test('what a commit lacks, and what has ended', async () => {
  const records = { path: { id: ids.push }, body: lineWithFile(`sha256:${'0'.repeat(64)}`) }
  await send('pushRecords', records)
  expect(await refused(contract.call('commitPush'), 422)).toEqual([])
  await send('updateMetadata', { body: { license: 'CC0-1.0' } })
  expect(await refused(contract.call('commitPush'), 409)).toEqual([])
  const committed = { path: { id: ids.committed } }
  expect(await refused(contract.call('cancelPush'), 409, { instead: committed })).toEqual([])
  await send('cancelSnapshot', { path: { id: ids.snapshot } })
  for (const id of ['sendManifest', 'sendSnapshotRecords', 'commitSnapshot'])
    expect(await refused(contract.call(id), 409)).toEqual([])
})

test('a key that is limited to a collection does not list all', async () => {
  const { id: collectionId } = (await send('getCollection')).json
  const { key } = (await send('createKey', { body: { label: 'one', scope: 'read', collectionId } })).json
  const by = testClient(url, key as string, '')
  for (const one of ['listMyCollections', 'listOwnInvitations'])
    expect(await refused(contract.call(one), 403, { by })).toEqual([])
})

test('webhooks are refused for their address, and beyond their number', async () => {
  for (const id of ['createWebhook', 'createAccountWebhook', 'changeWebhook']) {
    const instead = { path: real(contract.call(id)), body: { url: 'https://10.0.0.1/' } }
    expect(await refused(contract.call(id), 422, { instead })).toEqual([])
  }
  for (const id of ['createWebhook', 'createAccountWebhook']) {
    for (const _ of Array.from({ length: 20 })) await send(id, { body: { url: refusing } }).catch(() => null)
    expect(await refused(contract.call(id), 409, { instead: { body: { url: refusing } } })).toEqual([])
  }
})

test('questions are refused beyond their number', async () => {
  for (const n of Array.from({ length: 199 }).keys())
    await send('saveQuestion', { body: { name: `Question ${n}`, type: 'Country' } })
  expect(await refused(contract.call('saveQuestion'), 409)).toEqual([])
})

test('the key of a trusted publisher does not see the account that it acts for', async () => {
  const by = testClient(url, await jobs.keyFor(ada, url, 'ada/empty'), '')
  for (const one of ['getOwnAccount', 'listMemberships', 'listKeys'])
    expect(await refused(contract.call(one), 403, { by })).toEqual([])
})

test('signing in and out, and one key too many', async () => {
  const login = contract.call('signIn')
  const instead = { query: { return_to: 'https://elsewhere.example' } }
  expect(await refused(login, 400, { instead })).toEqual([])
  const proxied = { headers: { 'x-forwarded-for': '192.0.2.1' } }
  expect(await refused(login, 403, { also: proxied })).toEqual([])
  const cut = { body: '{', headers: { 'content-type': 'application/json' } }
  expect(await refused(contract.call('signOut'), 400, { also: cut })).toEqual([])
  for (const _ of Array.from({ length: 99 })) await eve.request('POST', '/api/accounts/keys', keyExample())
  expect(await refused(contract.call('createKey'), 409, { by: eve })).toEqual([])
})

const keyExample = () => requestOf(contract.call('createKey')).options

const lineWithFile = (hash: string): string =>
  JSON.stringify({
    id: 'x',
    type: 'City',
    data: { name: 'X', country: 'NOR', latitude: 0, longitude: 0, map: { $file: hash } },
  })

/** Refusals that this file does not provoke: they need half a million entries, a concurrent request or another issuer. */
const elsewhere = [
  'PATCH /api/collections/{owner}/{slug}/metadata 409',
  'POST /api/collections/{owner}/{slug}/versions/negotiate 413',
  'POST /api/collections/{owner}/{slug}/versions/negotiate/{id}/commit 422',
  'DELETE /api/collections/{owner}/{slug}/versions/negotiate/{id} 409',
  'POST /auth/device/token 409',
  'PATCH /api/collections/{owner}/{slug}/publishers/{id} 422',
  'GET /api/events 410',
  'POST /api/webhooks/{id}/replay 410',
  // From 20 networks: packages/registry/src/operators/reports.test.ts.
  'POST /api/collections/{owner}/{slug}/report 409',
]

test('a sign-in from a terminal is refused for what it is not', async () => {
  const call = contract.call('startDeviceLogin')
  const instead = { body: { scope: 'write', label: 'x', collection: 'nonsense' } }
  expect(await refused(call, 400, { instead })).toEqual([])
  expect(await refused(contract.call('finishDeviceLogin'), 400)).toEqual([])
})

test('every refusal that is described was met', () => {
  const described = contract.calls.flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses)
      // Excluded: defects, damage, unavailable stores.
      .filter((status) => Number(status) > 302 && !['500', '503'].includes(status))
      // Servers without webhooks: routes/webhooks.test.ts.
      .filter((status) => operation.tags[0] !== 'webhooks' || status !== '501')
      // Costly questions, and servers without DuckDB or SQL: routes/versions/sql.test.ts and packages/registry/src/tables.
      .filter(
        (status) => !['tables', 'questions'].includes(operation.tags[0]!) || !['422', '501'].includes(status),
      )
      .map((status) => `${method} ${path} ${status}`),
  )
  expect(described.filter((one) => !seen.has(one) && !elsewhere.includes(one))).toEqual([])
})
