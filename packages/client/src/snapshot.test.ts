import { recordOf } from '@ulmus/content'
import type { RecordLine } from '@ulmus/wire'
import { afterEach, expect, test } from 'vitest'
import { isFast } from '../../content/src/testing/runs.ts'
import { createClient } from './client.ts'
import { BatchRefused } from './errors.ts'
import type { SnapshotProgress } from './snapshot.ts'
import { type FaultyServer, startFaultyServer } from './testing/faulty-server.ts'
import { SnapshotKeeper } from './testing/snapshot-keeper.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** @param timeoutMs longer than a loaded machine takes for 100,000 entries */
async function start(timeoutMs = 20_000) {
  const keeper = new SnapshotKeeper()
  const server = await startFaultyServer((request) => keeper.handle(request))
  open.push(server)
  const retry = { attempts: 4, delayMs: 5, delayMsMax: 20 }
  const client = createClient({ baseUrl: server.url, apiKey: 'ul_test', retry, timeoutMs })
  return { keeper, server, client }
}

/** A line as an untyped caller might pass it. */
const untyped = (line: unknown) => line as RecordLine
const record = (n: number, data: unknown = { n }) => untyped({ id: `${n}`, type: 'T', data })
const hashOf = ({ id, type, data }: RecordLine) => recordOf(id, type, data).hash
const first = { baseVersion: null, schemas: { T: {} } }

/** Records that count how often their iteration starts. */
function counted(count: number, change: (n: number) => unknown = (n) => ({ n })) {
  const source = {
    begun: 0,
    *records() {
      source.begun++
      for (let n = 0; n < count; n++) yield record(n, change(n))
    },
  }
  return source
}

test('a small manifest goes with the opening, and what the base holds is not sent', async () => {
  const { keeper, server, client } = await start()
  for (const one of [record(0), record(1), record(7)]) keeper.published.set(hashOf(one), one)
  const { records } = counted(5)
  const result = await client.snapshot(
    'ada/numbers',
    { ...first, records, message: 'All' },
    { batchLines: 2, parallel: 1 },
  )
  expect(result).toMatchObject({ semver: 'v1.0.0', recordCount: 5 })
  expect(keeper.manifests).toEqual([5])
  expect(keeper.batches).toEqual([2, 1])
  expect(keeper.opening).toEqual({ base_version: null, schemas: { T: {} }, message: 'All' })
  expect([...keeper.published.values()].map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4'])
  expect(server.requests.filter((line) => line.includes('/commit'))).toEqual([
    'POST /api/collections/ada/numbers/versions/negotiate/session-1/commit?async=true',
  ])
})

test('nothing to send: the records are begun once', async () => {
  const { keeper, client } = await start()
  for (let n = 0; n < 3; n++) keeper.published.set(hashOf(record(n)), record(n))
  const source = counted(3)
  await client.snapshot('ada/numbers', { ...first, records: source.records })
  expect(source.begun).toBe(1)
  expect(keeper.batches).toEqual([])
})

test('100,000 entries and more come in chunks, and the records that lack are sent', async ({ skip }) => {
  skip(isFast)
  const { keeper, server, client } = await start()
  const count = 100_001
  for (const one of counted(count).records()) keeper.published.set(hashOf(one), one)
  const source = counted(count, (n) => ({ n: n % 1_000 === 0 ? 'changed' : n }))
  const seen: SnapshotProgress[] = []
  const result = await client.snapshot(
    'ada/numbers',
    {
      ...first,
      records: async function* () {
        yield* source.records()
      },
    },
    { onProgress: (now) => seen.push(now) },
  )
  expect(result.recordCount).toBe(count)
  expect(keeper.opening['manifest_expected']).toBe(count)
  expect(keeper.manifests.toSorted((a, b) => b - a)).toEqual([50_000, 50_000, 1])
  expect(keeper.batches).toEqual([101])
  expect(source.begun).toBe(2)
  expect(seen.at(-1)).toMatchObject({
    ...{ phase: 'done', recordsHashed: count, recordsCompared: count, recordsNeeded: 101, recordsSent: 101 },
  })
  expect(new Set(seen.map(({ phase }) => phase))).toEqual(
    new Set(['hashing', 'opening', 'manifest', 'records', 'committing', 'done']),
  )
  expect(server.requests.filter((line) => line.includes('/manifest'))).toHaveLength(3)
})

test('a dry run of a snapshot tells its version and gives the session up', async () => {
  const { keeper, client } = await start()
  const records = () => [record(1), record(2)]
  const found = await client.dryRun.snapshot('ada/numbers', { ...first, records })
  expect(found).toMatchObject({ dry_run: true, semver: 'v1.0.0', recordCount: 2 })
  expect([keeper.commits, keeper.batches, [...keeper.sessions.values()]]).toEqual([0, [2], ['cancelled']])
})

test('a record that comes twice is one; privately and not, it is refused before anything is sent', async () => {
  const { keeper, server, client } = await start()
  const twice = () => [record(1), record(1), record(2)]
  expect((await client.snapshot('ada/numbers', { ...first, records: twice })).recordCount).toBe(2)
  expect(keeper.batches).toEqual([2])
  const requests = server.requests.length
  const both = () => [record(1), { ...record(1), private: true }]
  await expect(client.snapshot('ada/numbers', { ...first, records: both })).rejects.toMatchObject({
    code: 'manifest_conflict',
  })
  expect(server.requests).toHaveLength(requests)
})

test('hashes are of what arrives: undefined members are none, dates are texts, and what is stripped does not count', async () => {
  const { keeper, client } = await start()
  const data = { a: 1, gone: undefined, at: new Date(0), other: 'x' }
  const schemas = { T: { properties: { a: {}, at: {} } } }
  const sent = record(1, { a: 1, at: '1970-01-01T00:00:00.000Z' })
  keeper.published.set(hashOf(sent), sent)
  const records = () => [record(1, data)]
  await client.snapshot('ada/numbers', { baseVersion: null, schemas, records, stripUnknownFields: true })
  expect([...keeper.published.keys()]).toEqual([hashOf(sent)])
  expect(keeper.batches).toEqual([])
})

test.each([
  ['\ud800', 'lone_surrogate'],
  ['x'.repeat(8_388_608), 'record_too_large'],
  [undefined, 'bad_envelope'],
  [1n, 'not_json'],
])('a record that has no hash is named before anything is sent', async (data, code) => {
  const { server, client } = await start()
  const records = () => [record(1), untyped({ id: 'bad', type: 'T', data })]
  const failure = client.snapshot('ada/numbers', { ...first, records })
  await expect(failure).rejects.toMatchObject({ code, message: expect.stringMatching(/^The record "bad"/) })
  expect(server.requests).toEqual([])
})

test.each([
  ['the connection drops before the request', { how: 'drop' }],
  ['the answer gets lost', { how: 'lose_answer' }],
  ['the answer breaks off', { how: 'cut', bytes: 3 }],
  ['the server is busy', { how: 'status', status: 503 }],
  ['the server is silent for too long', { how: 'stall', ms: 1_500 }],
] as const)('every step of a snapshot survives that %s', async (_, fault) => {
  const { keeper, server, client } = await start(1_000)
  const steps = [/POST .*\/versions\/negotiate$/, /\/records/, /\/commit/, /GET .*\/negotiate\//]
  for (const step of steps) server.fail(step, fault)
  let last: SnapshotProgress | undefined
  const onProgress = (now: SnapshotProgress) => {
    last = now
  }
  const result = await client.snapshot(
    'ada/numbers',
    { ...first, records: counted(25).records },
    { batchLines: 10, onProgress },
  )
  expect(result.recordCount).toBe(25)
  expect(keeper.commits).toBe(1)
  expect(last!.retries).toBeGreaterThanOrEqual(steps.length)
  expect(last!.recordsSent).toBe(25)
})

test('a chunk whose answer got lost is sent again', async ({ skip }) => {
  skip(isFast)
  const { keeper, server, client } = await start()
  server.fail(/\/manifest/, { how: 'lose_answer' }, { how: 'drop' })
  const result = await client.snapshot('ada/numbers', { ...first, records: counted(100_000).records })
  expect(result.recordCount).toBe(100_000)
  expect(keeper.manifests).toEqual([50_000, 50_000, 50_000])
})

test('a refused entry says where, counted over the whole manifest, and the session is cancelled', async ({
  skip,
}) => {
  skip(isFast)
  const { keeper, client } = await start()
  function* records() {
    yield* counted(100_000).records()
    yield { id: '', type: 'T', data: 1 }
  }
  const failure = await client.snapshot('ada/numbers', { ...first, records }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(BatchRefused)
  const refused = failure as BatchRefused
  expect(refused).toMatchObject({ kind: 'manifest', linesBefore: 100_000 })
  expect(refused.body.validationErrors![0]!.line).toBe(1)
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
})

test('records that are not the same the second time end the snapshot, and the session is cancelled', async () => {
  const { keeper, client } = await start()
  let begun = 0
  const fewer = () => [record(1), ...(begun++ === 0 ? [record(2)] : [])]
  await expect(client.snapshot('ada/numbers', { ...first, records: fewer })).rejects.toMatchObject({
    code: 'records_changed',
  })
  begun = 0
  const others = () => [record(1, begun++)]
  await expect(client.snapshot('ada/numbers', { ...first, records: others })).rejects.toMatchObject({
    code: 'unexpected_record',
  })
  expect([...keeper.sessions.values()]).toEqual(['cancelled', 'cancelled'])
  expect(keeper.commits).toBe(0)
})

test('an abort ends it with its reason, while records are hashed and while they are sent', async () => {
  const { keeper, server, client } = await start()
  const stop = new AbortController()
  const hashing = client.snapshot(
    'ada/numbers',
    { ...first, records: counted(50_000).records },
    { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) },
  )
  await expect(hashing).rejects.toThrow('enough')
  expect(server.requests).toEqual([])

  const later = new AbortController()
  server.fail(/\/records/, { how: 'status', status: 503, retryAfter: '60' })
  const sending = client.snapshot(
    'ada/numbers',
    { ...first, records: counted(3).records },
    { signal: later.signal, onProgress: ({ retries }) => retries > 0 && later.abort(new Error('enough')) },
  )
  await expect(sending).rejects.toThrow('enough')
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
})
