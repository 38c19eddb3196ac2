/** The client package against a complete server, in addition to its tests against a fake one. */
import { createClient, nameFile, type SnapshotProgress } from '@ulmus/client'
import type { Json } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import type { RecordLine } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from './testing/serve.ts'

const schemas = { Point: { properties: { n: { type: 'integer' }, map: {} } } }

describe.each(anyDatabase)('the client against a server on $name', ({ settings: open }) => {
  let server: TestServer
  let client: ReturnType<typeof createClient>
  let disposeDatabase: () => Promise<void>

  beforeAll(async () => {
    const { settings, dispose } = await open()
    disposeDatabase = dispose
    server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    client = createClient({ baseUrl: server.url, apiKey: await server.keyFor(cookie, 'write') })
  })
  afterAll(async () => {
    await server.close()
    await disposeDatabase()
  })

  test('a snapshot of 60,000 records comes in chunks, and the next one sends what changed', async () => {
    await client.collections.create('ada', { slug: 'large', public: true })
    const count = 60_000
    const version = (change: (n: number) => number) =>
      function* () {
        for (let n = 0; n < count; n++) yield { id: `${n}`, type: 'Point', data: { n: change(n) } }
      }
    const first = await client.snapshot('ada/large', {
      ...{ baseVersion: null, schemas, records: version((n) => n) },
    })
    expect(first).toMatchObject({ semver: 'v1.0.0', recordCount: count })
    let last: SnapshotProgress | undefined
    const second = await client.snapshot(
      'ada/large',
      { ...{ baseVersion: 'v1.0.0', schemas }, records: version((n) => (n % 100 === 0 ? -n - 1 : n)) },
      {
        onProgress: (now) => {
          last = now
        },
      },
    )
    expect(second).toMatchObject({ semver: 'v1.1.0', changes: { added: 0, updated: 600, removed: 0 } })
    expect(last).toMatchObject({
      ...{ phase: 'done', recordsHashed: count, recordsCompared: count },
      ...{ recordsNeeded: 600, recordsSent: 600, retries: 0 },
    })
  }, 120_000)

  test('a snapshot with a file, private records and fields that are stripped; then the same again', async () => {
    await client.collections.create('ada', { slug: 'small', public: true })
    const map = await nameFile({ bytes: new TextEncoder().encode('a map') })
    const what = {
      ...{ schemas, metadata: { license: 'MIT' }, files: [map], stripUnknownFields: true, message: 'All' },
      records: (): RecordLine[] => [
        { id: '1', type: 'Point', data: { n: 1, map: { $file: map.hash }, gone: true } },
        { id: '2', type: 'Point', data: { n: 2 }, private: true },
      ],
    }
    const made = await client.snapshot('ada/small', { ...what, baseVersion: null })
    expect(made).toMatchObject({ semver: 'v1.0.0', recordCount: 2, fileCount: 1 })
    const seen = await Array.fromAsync(
      createClient({ baseUrl: server.url }).records.iterate('ada/small', 'v1.0.0'),
    )
    expect(seen.map(({ data }) => data)).toEqual([{ n: 1, map: { $file: map.hash } }])
    const again = client.snapshot('ada/small', { ...what, baseVersion: 'v1.0.0' })
    await expect(again).rejects.toMatchObject({ status: 409, code: 'no_changes' })
    const late = client.snapshot('ada/small', { ...what, baseVersion: null })
    await expect(late).rejects.toMatchObject({
      ...{ code: 'version_conflict', body: { currentVersion: 'v1.0.0' } },
    })
  })

  test('what the registry refuses of a manifest or of records says where', async () => {
    await client.collections.create('ada', { slug: 'refused', public: true })
    const refused = (records: () => { id: string; type: string; data: Json }[]) =>
      client.snapshot('ada/refused', { baseVersion: null, schemas, records }).catch((error: unknown) => error)
    expect(
      await refused(() => [
        { id: '1', type: 'Point', data: {} },
        { id: '2', type: 'Line', data: {} },
      ]),
    ).toMatchObject({
      ...{ name: 'BatchRefused', kind: 'manifest', linesBefore: 0 },
      body: { validationErrors: [{ line: 2, code: 'unknown_type' }] },
    })
    expect(await refused(() => [{ id: '1', type: 'Point', data: { n: 'x' } }])).toMatchObject({
      ...{ name: 'BatchRefused', kind: 'records', code: 'schema_violation' },
      body: { validationErrors: [{ line: 1, id: '1' }] },
    })
    expect((await client.collections.get('ada/refused')).latestVersion).toBe(null)
  })
})
