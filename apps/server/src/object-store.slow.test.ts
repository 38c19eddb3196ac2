/** A complete server with its objects in a bucket: http-api §1 (503). */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase, databases } from '@ulmus/storage/testing'
import { makeBucket, s3Server } from '@ulmus/storage/testing/buckets'
import { startFlakyProxy } from '@ulmus/storage/testing/flaky-proxy'
import { describe, expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { type Ended, startProcess } from './testing/server-process.ts'
import { openPush } from './testing/stage.ts'
import { fileHash, type TestClient, testClient } from './testing/test-client.ts'

const path = '/collections/ada/kept'
const linesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: `r${from + i}`, type: 'A', data: { n: from + i } }))

/** Reads the parts of a version that are in the object store: records and a file. */
async function read(ada: TestClient, version: string) {
  const records = await ada.get(`${path}/versions/${version}/records.ndjson`)
  const file = await ada.get(`${path}/files/${fileHash('a file')}`)
  return { statuses: [records.status, file.status], records: records.text, file: file.text }
}

describe.skipIf(s3Server() === null).each(anyDatabase)('objects in a bucket, rows $name', (database) => {
  test('a server pushes and reads; the next one reads the same; the store goes away and comes back', async () => {
    await using ending = new AsyncDisposableStack()
    const bucket = await makeBucket()
    ending.defer(bucket.dispose)
    const proxy = await startFlakyProxy(bucket.settings.endpoint!)
    ending.defer(proxy.close)
    const rows = await database.settings()
    ending.defer(rows.dispose)
    const { keys: s3Keys, ...place } = bucket.settings
    const placed = { objectStore: { ...place, endpoint: proxy.url }, s3Keys }

    const first = await serveForTest(rows.settings, placed)
    const { cookie } = await first.signIn('ada')
    const key = await first.keyFor(cookie, 'write')
    const before = testClient(first.url, key)
    expect((await before.post('/accounts/ada/collections', { slug: 'kept' })).status).toBe(201)
    expect((await before.upload(path, 'a file')).status).toBeLessThan(300)
    const session = await openPush(before, path, { opening: { schemas: { A: {} } } })
    expect((await before.lines(`${session}/records`, linesOf(0, 3_000))).status).toBe(200)
    expect((await before.post(`${session}/commit`)).json).toMatchObject({
      semver: 'v1.0.0',
      recordCount: 3_000,
    })
    const written = await read(before, 'v1.0.0')
    expect(written).toMatchObject({ statuses: [200, 200], file: 'a file' })
    expect(written.records.trim().split('\n')).toHaveLength(3_000)
    const put = proxy.calls.filter(({ method }) => method === 'PUT').map(({ url }) => url)
    for (const kind of ['packs', 'spills', 'files'])
      expect(put.some((url) => url.includes(`/${kind}/`))).toBe(true)
    expect(existsSync(join(first.dataFolder, 'objects'))).toBe(false)
    await first.stop()

    const { dataFolder } = first
    const again = rows.settings.url === undefined ? { folder: join(dataFolder, 'database') } : rows.settings
    const second = await serveForTest(again, { ...placed, dataFolder })
    ending.defer(second.close)
    const ada = testClient(second.url, key)
    const ready = async () => {
      const answer = await fetch(`${second.url}/readyz`)
      return [answer.status, await answer.json()]
    }
    const next = await openPush(ada, path, { base: 'v1.0.0' })
    // The answer is cached for a second.
    await expect
      .poll(ready, { timeout: 20_000 })
      .toEqual([
        200,
        { ready: true, database: true, objects: true, storage: 'ok', worker: 'ok', problems: [] },
      ])

    await proxy.leave()
    await expect.poll(ready, { timeout: 20_000 }).toEqual([
      503,
      {
        ready: false,
        database: true,
        objects: false,
        storage: 'ok',
        worker: 'ok',
        problems: [expect.stringContaining('object store')],
      },
    ])
    const unavailable = async (answer: ReturnType<TestClient['get']>) => {
      const { status, json, headers } = await answer
      expect([status, json.code, json.statusCode]).toEqual([503, 'unavailable', 503])
      expect(json.error).not.toContain(proxy.url)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    await unavailable(ada.get(`${path}/versions/v1.0.0/records.ndjson`))
    await unavailable(ada.get(`${path}/versions/v1.0.0/records/A/r17`))
    await unavailable(ada.get(`${path}/files/${fileHash('a file')}`))
    await unavailable(ada.upload(path, 'another'))
    await unavailable(ada.lines(`${next}/records`, linesOf(3_000, 3_100)))
    // Data in rows is available.
    expect((await ada.get('/accounts/me')).status).toBe(200)

    await proxy.comeBack()
    await expect
      .poll(ready, { timeout: 20_000 })
      .toEqual([
        200,
        { ready: true, database: true, objects: true, storage: 'ok', worker: 'ok', problems: [] },
      ])
    expect(await read(ada, 'v1.0.0')).toEqual(written)
    expect((await ada.lines(`${next}/records`, linesOf(3_000, 3_100))).status).toBe(200)
    await proxy.leave()
    await unavailable(ada.post(`${next}/commit`))
    await proxy.comeBack()
    expect((await ada.post(`${next}/commit`)).json).toMatchObject({ semver: 'v1.1.0', recordCount: 3_100 })
    const { records } = await read(ada, 'v1.1.0')
    expect(records.trim().split('\n')).toHaveLength(3_100)
  })
})

describe.skipIf(s3Server() === null)('a process whose objects are in a bucket', () => {
  test('starts with keys from the environment and from a shared file, and says so when they are wrong', async () => {
    await using ending = new AsyncDisposableStack()
    const bucket = await makeBucket()
    ending.defer(bucket.dispose)
    const rows = await databases[1]!.settings()
    ending.defer(rows.dispose)
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-keys-'))
    ending.defer(async () => rmSync(folder, { recursive: true }))
    const { endpoint, bucket: name, keys } = bucket.settings
    const env = {
      ...{ DATABASE_URL: rows.settings.url!, DATA_DIR: folder, HOME: folder },
      ...{ OBJECT_STORE: `s3://${name}/kept`, S3_ENDPOINT: endpoint!, AWS_EC2_METADATA_DISABLED: 'true' },
    }
    const byKeys = { AWS_ACCESS_KEY_ID: keys!.accessKeyId, AWS_SECRET_ACCESS_KEY: keys!.secretAccessKey }
    const file = join(folder, 'credentials')
    const secret = `aws_secret_access_key = ${keys!.secretAccessKey}`
    writeFileSync(file, `[ulmus]\naws_access_key_id = ${keys!.accessKeyId}\n${secret}\n`)
    for (const given of [byKeys, { AWS_PROFILE: 'ulmus', AWS_SHARED_CREDENTIALS_FILE: file }]) {
      const server = await startProcess({ ...env, ...given })
      expect(await server.end('SIGTERM')).toBe(0)
    }
    const refused = async (given: Record<string, string>) => {
      const ended = await startProcess({ ...env, ...given }).then(
        () => 'it started',
        (thrown: Ended) => thrown,
      )
      expect(ended).toMatchObject({ code: 1, err: expect.stringMatching(/^Ulmus cannot start\. .*\n$/) })
      return (ended as Ended).err
    }
    expect(await refused({ ...byKeys, AWS_SECRET_ACCESS_KEY: 'wrong' })).toContain('(SignatureDoesNotMatch)')
    expect(await refused({})).toContain('There are no credentials for the bucket')
  })
})
