import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { cursorAfter } from './cursor.ts'
import type { StreamOptions } from './record-stream.ts'
import { type FaultyServer, startFaultyServer } from './testing/faulty-server.ts'
import { SessionKeeper } from './testing/session-keeper.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(count: number, timeoutMs = 20_000) {
  const keeper = new SessionKeeper()
  for (let n = 0; n < count; n++) {
    const id = `${n}-é🏙`
    keeper.published.set(`T/${id}`, { id, type: 'T', data: { n, text: 'ä'.repeat(20) } })
  }
  const server = await startFaultyServer((request) => keeper.handle(request))
  open.push(server)
  const retry = { attempts: 3, delayMs: 5, delayMsMax: 10 }
  return { keeper, server, client: createClient({ baseUrl: server.url, retry, timeoutMs }) }
}

async function readAll(client: Awaited<ReturnType<typeof start>>['client'], options?: StreamOptions) {
  const ids: string[] = []
  for await (const record of client.records.ndjson('ada/numbers', 'v1.0.0', options)) ids.push(record.id)
  return ids
}

test('all records come, each once, in order', async () => {
  const { keeper, client } = await start(500)
  expect(await readAll(client)).toEqual([...keeper.published.values()].map((record) => record.id))
})

test('a stream that breaks, in the middle of a character too, goes on after the last record that came', async () => {
  const { keeper, server, client } = await start(100, 1_500)
  server.fail(
    /ndjson/,
    { how: 'cut', bytes: 731 },
    { how: 'drop' },
    { how: 'cut', bytes: 732 },
    { how: 'status', status: 503 },
    { how: 'stall_body', bytes: 733 },
    { how: 'cut', bytes: 734 },
  )
  let resumed = 0
  expect(await readAll(client, { onResume: () => resumed++ })).toEqual(
    [...keeper.published.values()].map((record) => record.id),
  )
  expect(resumed).toBe(4)
  expect(server.requests.filter((line) => line.includes('after='))).toHaveLength(6)
})

test('a stream that ends early without an error is not taken for complete', async () => {
  const { keeper, server, client } = await start(10)
  const [first] = keeper.published.values()
  const bytes = Buffer.byteLength(JSON.stringify(first)) + 1
  server.fail(/ndjson/, { how: 'end_early', bytes }, { how: 'end_early', bytes: 0 })
  expect(await readAll(client)).toHaveLength(10)
  expect(server.requests).toHaveLength(3)
})

test('a server that breaks every stream before the first record is given up', async () => {
  const { server, client } = await start(10)
  const cut = { how: 'cut', bytes: 5 } as const
  server.fail(/ndjson/, cut, cut, cut, cut)
  server.fail(/records\?/, cut, cut, cut, cut)
  await expect(readAll(client)).rejects.toMatchObject({ code: 'network', status: 0 })
})

test('a stream that breaks again and again before its first record goes on by a page', async () => {
  const { keeper, server, client } = await start(3_000)
  server.fail(/ndjson/, ...Array.from({ length: 2 }, () => ({ how: 'cut', bytes: 5 }) as const))
  expect(await readAll(client)).toEqual([...keeper.published.values()].map((record) => record.id))
  expect(server.requests.filter((line) => line.includes('/records?'))).toHaveLength(2)
})

test('the refusal of the next page ends a broken stream: it names the damage, which a stream cannot', async () => {
  const { keeper, server, client } = await start(100)
  const body = JSON.stringify({ error: 'Damaged.', code: 'object_corrupt', statusCode: 500 })
  server.fail(/ndjson/, { how: 'cut', bytes: 731 }, { how: 'cut', bytes: 5 })
  server.fail(/\/records\?/, { how: 'status', status: 500, body })
  const ids: string[] = []
  const reading = (async () => {
    for await (const { id } of client.records.ndjson('ada/numbers', 'v1.0.0')) ids.push(id)
  })()
  await expect(reading).rejects.toMatchObject({ code: 'object_corrupt', status: 500 })
  expect(ids.length).toBeGreaterThan(0)
  expect(ids).toEqual([...keeper.published.values()].slice(0, ids.length).map(({ id }) => id))
  expect(server.requests).toHaveLength(3)
})

test('`latest` is fixed at the beginning', async () => {
  const { server, client } = await start(3)
  for await (const record of client.records.ndjson('ada/numbers')) expect(record.type).toBe('T')
  expect(server.requests[0]).toMatch(/versions\/latest$/)
  expect(server.requests[1]).toMatch(/versions\/v1\.0\.0\/records\.ndjson$/)
})

test('a caller that stops early leaves no connection behind', async () => {
  const { server, client } = await start(50)
  server.fail(/ndjson/, { how: 'stall_body', bytes: 400 })
  for await (const record of client.records.ndjson('ada/numbers', 'v1.0.0')) {
    expect(record.id).toBe('0-é🏙')
    break
  }
  expect(server.requests).toHaveLength(1)
})

test('an abort ends the stream with its reason', async () => {
  const { server, client } = await start(50)
  server.fail(/ndjson/, { how: 'stall_body', bytes: 400 })
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('enough')), 50)
  await expect(readAll(client, { signal: stop.signal })).rejects.toThrow('enough')
})

test('cursors are base64url of the JCS of [type, id]', () => {
  const text = Buffer.from(cursorAfter('Stadt', 'a"\n🏙'), 'base64url').toString()
  expect(text).toBe('["Stadt","a\\"\\n🏙"]')
  expect(cursorAfter('T', '???>>>')).not.toMatch(/[+/=]/)
})
