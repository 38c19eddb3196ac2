import type { OpenedPush } from '@ulmus/wire'
import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { BatchRefused, UlmusError } from './errors.ts'
import { nameFile } from './files.ts'
import type { PushProgress } from './push.ts'
import { type FaultyServer, startFaultyServer } from './testing/faulty-server.ts'
import { type KeeperOptions, SessionKeeper } from './testing/session-keeper.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start({ timeoutMs = 20_000, ...options }: KeeperOptions & { timeoutMs?: number } = {}) {
  const keeper = new SessionKeeper(options)
  const server = await startFaultyServer((request) => keeper.handle(request))
  open.push(server)
  const retry = { attempts: 4, delayMs: 5, delayMsMax: 20 }
  return {
    keeper,
    server,
    client: createClient({ baseUrl: server.url, apiKey: 'ul_test', retry, timeoutMs }),
  }
}

const records = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: String(n), type: 'T', data: { n } }))

test('a push arrives whole, in batches within the limits of the session', async () => {
  const { keeper, client } = await start({ batchLines: 10 })
  const result = await client.push(
    'ada/numbers',
    {
      baseVersion: null,
      schemas: { T: {} },
      records: records(25),
    },
    { parallel: 1 },
  )
  expect(result).toMatchObject({ semver: 'v1.0.0', recordCount: 25 })
  expect(keeper.batches).toEqual([10, 10, 5])
  expect(keeper.published.get('T/24')).toEqual({ id: '24', type: 'T', data: { n: 24 } })
})

test('batches keep the byte limit too, except for a line that alone is longer', async () => {
  const { keeper, client } = await start({ batchBytes: 200 })
  const long = { id: 'long', type: 'T', data: 'x'.repeat(500) }
  const [first, second, third] = records(3)
  await client.push(
    'ada/numbers',
    { baseVersion: null, records: [first!, second!, long, third!] },
    { parallel: 1 },
  )
  expect(keeper.batches).toEqual([2, 1, 1])
})

test('async iterables are read no faster than the server takes them', async () => {
  const { keeper, server, client } = await start({ batchLines: 5 })
  let asked = 0
  const ahead: number[] = []
  async function* slowly() {
    for (const record of records(50)) {
      ahead.push(asked++ - keeper.batches.reduce((sum, lines) => sum + lines, 0))
      yield record
    }
  }
  server.fail(/\/records/, { how: 'stall', ms: 50 }, { how: 'stall', ms: 50 })
  await client.push('ada/numbers', { baseVersion: null, records: slowly() })
  expect(keeper.published.size).toBe(50)
  // Two batches in flight, the next one being made, and the line that overflows it.
  expect(Math.max(...ahead)).toBeLessThanOrEqual(16)
})

test('of one record the last line counts, also where its first batch has to be sent again', async () => {
  const { keeper, server, client } = await start({ batchLines: 2 })
  const lines = [...records(4), { id: '3', type: 'T', data: { n: 'last' } }, ...records(1)]
  server.fail(/\/records/, { how: 'stall', ms: 40 }, { how: 'status', status: 503 })
  await client.push('ada/numbers', { baseVersion: null, records: lines }, { parallel: 4 })
  expect(keeper.published.get('T/3')!.data).toEqual({ n: 'last' })
})

test.each([
  ['the connection drops before the request', { how: 'drop' }],
  ['the answer gets lost', { how: 'lose_answer' }],
  ['the answer breaks off', { how: 'cut', bytes: 3 }],
  ['the server is busy', { how: 'status', status: 503 }],
  ['a proxy finds no upstream', { how: 'status', status: 502, body: '<html>' }],
  ['the server is silent for too long', { how: 'stall', ms: 600 }],
] as const)('every step of a push survives that %s', async (_, fault) => {
  const file = await nameFile({ bytes: new TextEncoder().encode('a map') })
  const timeoutMs = fault.how === 'stall' ? 400 : 20_000
  const { keeper, server, client } = await start({ batchLines: 10, commitPolls: 2, timeoutMs })
  for (const step of [
    /POST .*\/pushes$/,
    /PUT .*\/files/,
    /\/records/,
    /\/deletes/,
    /\/commit/,
    /GET .*\/pushes/,
  ]) {
    server.fail(step, fault)
  }
  let last: PushProgress | undefined
  const result = await client.push(
    'ada/numbers',
    {
      baseVersion: null,
      records: [...records(25), { id: 'map', type: 'T', data: { $file: file.hash } }],
      deletes: [{ id: '0', type: 'T' }],
      files: [{ bytes: file.bytes, contentType: 'text/plain' }],
    },
    {
      onProgress: (progress) => {
        last = progress
      },
    },
  )
  expect(result.recordCount).toBe(25)
  expect(keeper.published.has('T/0')).toBe(false)
  expect(keeper.commits).toBe(1)
  expect(last).toMatchObject({ phase: 'done', recordsSent: 26, deletesSent: 1, filesSent: 1 })
  expect(last!.retries).toBeGreaterThanOrEqual(6)
})

test('Retry-After is waited for, also after 429', async () => {
  const { server, client } = await start()
  server.fail(/\/records/, { how: 'status', status: 429, retryAfter: '1' })
  await client.push('ada/numbers', { baseVersion: null, records: records(1) })
  const [first, second] = server.requests.flatMap((line, n) =>
    line.includes('/records') ? [server.times[n]!] : [],
  )
  expect(second! - first!).toBeGreaterThanOrEqual(990)
})

test('progress says what the server has acknowledged, never less than before', async () => {
  const { client } = await start({ batchLines: 10 })
  const seen: PushProgress[] = []
  await client.push(
    'ada/numbers',
    { baseVersion: null, records: records(25) },
    { onProgress: (now) => seen.push(now), parallel: 1 },
  )
  expect(seen.map((now) => [now.phase, now.recordsSent])).toEqual([
    ['records', 10],
    ['records', 20],
    ['records', 25],
    ['committing', 25],
    ['done', 25],
  ])
  const bytes = records(25).reduce((sum, record) => sum + JSON.stringify(record).length + 1, 0)
  expect(seen.at(-1)!.bytesSent).toBe(bytes)
})

test('a refused batch says which line it was, counted over the whole push, and the session is cancelled', async () => {
  const { keeper, client } = await start({ batchLines: 10 })
  const lines = records(25)
  lines[17]!.id = ''
  const failure = await client
    .push('ada/numbers', { baseVersion: null, records: lines })
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(BatchRefused)
  const refused = failure as BatchRefused
  expect(refused).toMatchObject({ status: 422, code: 'schema_violation', kind: 'records', linesBefore: 10 })
  expect(refused.linesBefore + refused.body.validationErrors![0]!.line!).toBe(18)
  expect(refused.message).toMatch(/\n {2}line 18/)
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
  expect(keeper.commits).toBe(0)
})

test('a server that stays away ends the push with its error, and the session is cancelled', async () => {
  const { keeper, server, client } = await start()
  const away = {
    how: 'status',
    status: 503,
    body: '{"error":"Away.","code":"unavailable","statusCode":503}',
  } as const
  server.fail(/\/records/, away, away, away, away)
  const failure = client.push('ada/numbers', { baseVersion: null, records: records(3) })
  await expect(failure).rejects.toMatchObject({
    name: 'UlmusError',
    status: 503,
    code: 'unavailable',
    message: 'Away.',
  })
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
  expect(server.requests.filter((line) => line.includes('/records'))).toHaveLength(4)
})

test('data refused by the caller is not sent again', async () => {
  const { server, client } = await start()
  const conflict =
    '{"error":"Moved on.","code":"version_conflict","statusCode":409,"currentVersion":"v2.0.0"}'
  server.fail(/\/pushes$/, { how: 'status', status: 409, body: conflict })
  const failure = client.push('ada/numbers', { baseVersion: 'v1.0.0', records: [] })
  await expect(failure).rejects.toMatchObject({
    code: 'version_conflict',
    body: { currentVersion: 'v2.0.0' },
  })
  expect(server.requests).toHaveLength(1)
})

test('a file that only a record refers to is sent when the commit misses it', async () => {
  const { keeper, server, client } = await start()
  const bytes = new TextEncoder().encode('a picture')
  const { hash } = await nameFile({ bytes })
  // At first the session reports that it needs no files.
  keeper.files.add(hash)
  async function* lines() {
    keeper.files.delete(hash)
    yield { id: 'a', type: 'T', data: { $file: hash } }
  }
  const result = await client.push('ada/numbers', { baseVersion: null, records: lines(), files: [{ bytes }] })
  expect(result.fileCount).toBe(1)
  expect(server.requests.filter((line) => line.includes('/commit'))).toHaveLength(2)
})

test('a file that cannot be found ends the push with its name', async () => {
  const { keeper, client } = await start()
  const hash = `sha256:${'1'.repeat(64)}`
  const failure = client.push('ada/numbers', {
    baseVersion: null,
    records: [{ id: 'a', type: 'T', data: { $file: hash } }],
  })
  await expect(failure).rejects.toMatchObject({ code: 'files_missing', body: { filesNeeded: [hash] } })
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
})

test('an error of the iterable ends the push with it, and the session is cancelled', async () => {
  const { keeper, client } = await start()
  function* broken() {
    yield* records(3)
    throw new Error('the source dried up')
  }
  await expect(client.push('ada/numbers', { baseVersion: null, records: broken() })).rejects.toThrow(
    'the source dried up',
  )
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
})

test('an abort ends the push with its reason, and the session is cancelled', async () => {
  const { keeper, server, client } = await start({ batchLines: 1 })
  const stop = new AbortController()
  server.fail(/\/records/, { how: 'status', status: 503, retryAfter: '60' })
  const pushing = client.push(
    'ada/numbers',
    { baseVersion: null, records: records(3) },
    { signal: stop.signal },
  )
  const ended = expect(pushing).rejects.toThrow('enough')
  await expect.poll(() => server.requests.some((line) => line.includes('/records'))).toBe(true)
  stop.abort(new Error('enough'))
  await ended
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
})

test('a dry run sends everything, also the file that it lacks, tells the version, and gives the session up', async () => {
  const { keeper, server, client } = await start({ batchLines: 10 })
  const bytes = new TextEncoder().encode('a picture')
  const { hash } = await nameFile({ bytes })
  keeper.files.add(hash)
  async function* lines() {
    keeper.files.delete(hash)
    yield* records(24)
    yield { id: 'a', type: 'T', data: { $file: hash } }
  }
  server.fail(/dry_run/, { how: 'lose_answer' })
  const phases: string[] = []
  const found = await client.dryRun.push(
    'ada/numbers',
    { baseVersion: null, records: lines(), files: [{ bytes }] },
    { onProgress: ({ phase }) => phases.push(phase) },
  )
  expect(found).toMatchObject({ dry_run: true, semver: 'v1.0.0', recordCount: 25, fileCount: 1 })
  expect([keeper.commits, keeper.published.size]).toEqual([0, 0])
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
  expect(new Set(phases)).toEqual(new Set(['records', 'checking', 'files', 'done']))
})

test('a dry run that is refused gives the session up', async () => {
  const { keeper, client } = await start()
  const data = { $file: `sha256:${'1'.repeat(64)}` }
  const failure = client.dryRun.push('ada/numbers', {
    baseVersion: null,
    records: [{ id: 'a', type: 'T', data }],
  })
  await expect(failure).rejects.toMatchObject({ code: 'files_missing' })
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
})

test('the steps of a push, and the reads before it, survive an outage', async () => {
  const { server, keeper } = await start()
  const retry = { delayMs: 1, delayMsMax: 1 }
  const client = createClient({ baseUrl: server.url, apiKey: 'ul_test', retry })
  const away = Array.from({ length: 40 }, () => ({ how: 'status', status: 503 }) as const)
  const steps = [/^GET .*versions/, /^POST .*pushes$/, /^POST .*records/, /^POST .*commit/]
  for (const step of steps) server.fail(step, ...away)
  await client.versions.get('ada/numbers', 'latest')
  const what = { baseVersion: null, schemas: { T: {} }, records: records(3) }
  expect(await client.push('ada/numbers', what)).toMatchObject({ semver: 'v1.0.0', recordCount: 3 })
  const times = steps.map((step) => server.requests.filter((line) => step.test(line)).length)
  expect(times).toEqual([41, 41, 41, 41])
  expect(keeper.sessions.size).toBe(1)
})

test('a refused connection rejects with an UlmusError without a status', async () => {
  const { server } = await start()
  await server.close()
  const client = createClient({ baseUrl: server.url, retry: { attempts: 2, delayMs: 1 } })
  const failure = await client.accounts.me().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UlmusError)
  expect(failure).toMatchObject({ status: 0, code: 'network' })
  expect((failure as Error).message).toContain(server.url)
})

test('a push that a killed program began goes on with its session, and sends what was not counted', async () => {
  const { keeper, server, client } = await start({ batchLines: 10 })
  const what = { baseVersion: null, schemas: { T: {} }, records: records(35) }
  let opened: OpenedPush | undefined
  let last: PushProgress | undefined
  const stop = new AbortController()
  // The requests that cancel are lost, as if the program had been killed.
  server.fail(/^DELETE/, { how: 'drop' }, { how: 'drop' }, { how: 'drop' }, { how: 'drop' })
  const killed = client.push('ada/numbers', what, {
    parallel: 1,
    signal: stop.signal,
    onOpened: (session) => {
      opened = session
    },
    onProgress: (now) => {
      last = now
      if (now.recordsTaken === 20) stop.abort(new Error('killed'))
    },
  })
  await expect(killed).rejects.toThrow('killed')
  expect(last?.recordsTaken).toBe(20)
  const before = keeper.batches.length

  const resume = { opened: opened!, recordsTaken: 20, deletesTaken: 0 }
  const result = await client.push('ada/numbers', what, { parallel: 1, resume })
  expect(result).toMatchObject({ semver: 'v1.0.0', recordCount: 35 })
  expect(keeper.batches.slice(before)).toEqual([10, 5])
  expect(server.requests.filter((line) => line === 'POST /api/collections/ada/numbers/pushes')).toHaveLength(
    1,
  )
})

test('lines are counted as taken only from the first one on without a gap', async () => {
  const { server, client } = await start({ batchLines: 10 })
  server.fail(/records$/, { how: 'stall', ms: 1_500 })
  const seen: [sent: number, taken: number][] = []
  await client.push(
    'ada/numbers',
    { baseVersion: null, records: records(40) },
    {
      parallel: 2,
      onProgress: ({ phase, recordsSent, recordsTaken }) => {
        if (phase === 'records') seen.push([recordsSent, recordsTaken])
      },
    },
  )
  expect(seen.some(([sent, taken]) => sent > 0 && taken === 0)).toBe(true)
  expect(seen.at(-1)).toEqual([40, 40])
})
