import { type Json, recordOf } from '@ulmus/content'
import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { type FaultyServer, startFaultyServer } from './testing/faulty-server.ts'
import { SnapshotKeeper } from './testing/snapshot-keeper.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const record = (n: number, data: Json = { n }) => ({ id: `${n}`, type: 'T', data })
const records = (from: number, to: number, data?: Json) => () =>
  Array.from({ length: to - from }, (_, n) => record(n + from, data))

/** A registry whose `v1.0.0` has 40 records. */
async function start() {
  const keeper = new SnapshotKeeper()
  for (const one of records(0, 40)()) keeper.published.set(recordOf(one.id, one.type, one.data).hash, one)
  const server = await startFaultyServer((request) => keeper.handle(request))
  open.push(server)
  const client = createClient({ baseUrl: server.url, apiKey: 'ul_test', retry: { attempts: 1 } })
  return { keeper, server, client, base: { baseVersion: 'v1.0.0', schemas: { T: {} } } }
}

test.each([
  ['few records are left', records(0, 1), 39],
  ['none is left', records(0, 0), 40],
  ['all are others', records(40, 80), 40],
  ['most are others, and the rest is changed', records(21, 61, { changed: true }), 21],
])('%s: nothing is published, and the session is cancelled', async (_, all, removed) => {
  const { keeper, client, base } = await start()
  await expect(client.snapshot('ada/numbers', { ...base, records: all })).rejects.toMatchObject({
    code: 'too_many_removed',
    message: expect.stringContaining(`${removed} of 40 records of T`),
  })
  expect([keeper.commits, [...keeper.sessions.values()]]).toEqual([0, ['cancelled']])
})

test('half may go, every record may change, and a bound of its own is kept', async () => {
  for (const all of [records(20, 40), records(0, 40, { changed: true })]) {
    const { client, base } = await start()
    expect((await client.snapshot('ada/numbers', { ...base, records: all })).semver).toBe('v1.0.0')
  }
  const { client, base } = await start()
  const few = { ...base, records: records(3, 40) }
  await expect(client.snapshot('ada/numbers', { ...few, maxRemoved: '5%' })).rejects.toMatchObject({
    code: 'too_many_removed',
  })
  await client.snapshot('ada/numbers', { ...few, maxRemoved: 3 })
})

test('counts clear most snapshots: the base version is not listed', async () => {
  const { server, client, base } = await start()
  await client.snapshot('ada/numbers', { ...base, records: records(10, 45) })
  expect(server.requests.filter((line) => line.includes('/manifest'))).toEqual([])
})
