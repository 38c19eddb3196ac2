/** A push of the same content replaces damaged objects, and so repairs every version that shares them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashText } from '@ulmus/content'
import { openDatabase, openDiskStore, openObjectReader } from '@ulmus/storage'
import { anyDatabase, type DatabaseSettings } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from './testing/serve.ts'
import { pushVersion } from './testing/stage.ts'
import { type TestClient, testClient } from './testing/test-client.ts'

const schemas = { Anything: {} }
const smallSchema = hashText('{}')
/** Enough for interior nodes, and for some records outside of their leaf's body. */
const lines = Array.from({ length: 3_000 }, (_, i) => ({
  id: `thing-${i}`,
  type: 'Anything',
  data: i % 500 === 0 ? { long: 'long '.repeat(5_000) } : { number: i },
}))
const one = [{ id: 'one', type: 'Anything', data: { number: 1 } }]
const ours = '/collections/ada/ours'
const others = '/collections/ada/others'

describe.each(anyDatabase)('damage that is pushed over, on $name', (testDatabase) => {
  let where: DatabaseSettings
  let dispose: () => Promise<void>
  let server: TestServer
  let key: string
  let ada: TestClient

  const start = async (dataFolder?: string) => {
    server = await serveForTest(where.url === undefined && dataFolder ? ({} as DatabaseSettings) : where, {
      ...(dataFolder && { dataFolder }),
    })
    key ??= await server.keyFor((await server.signIn('ada')).cookie, 'write')
    ada = testClient(server.url, key)
  }
  /** Stops the server, changes the data, and starts another server with empty caches. */
  const restarted = async (work: (dataFolder: string) => Promise<void> | void) => {
    const { dataFolder } = server
    await server.stop()
    await work(dataFolder)
    await start(dataFolder)
  }
  const flip = (file: string, at: (index: number, length: number) => boolean) => {
    const bytes = readFileSync(file)
    for (const index of bytes.keys()) if (at(index, bytes.length)) bytes[index]! ^= 0xff
    writeFileSync(file, bytes)
  }
  const packFiles = (dataFolder: string) => {
    const packs = join(dataFolder, 'objects', 'packs')
    return readdirSync(packs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  }
  /** Damages one byte of the schema `{}` only. */
  const damageSmallSchema = async (dataFolder: string) => {
    const folder = join(dataFolder, 'database')
    const database = await openDatabase(where.url === undefined ? { folder } : where)
    const blobs = await openDiskStore(join(dataFolder, 'objects'))
    const [place] = await openObjectReader({ database, blobs, cacheBytesMax: 0 }).chain('plain', smallSchema)
    await Promise.all([database.close(), blobs.close()])
    flip(join(dataFolder, 'objects', place!.pack), (index) => index === place!.offset + place!.length - 1)
  }
  const expectWhole = async (path: string, semver: string, count: number) => {
    const records = await ada.get(`${path}/versions/${semver}/records.ndjson`)
    expect(records.status).toBe(200)
    expect(records.text.trimEnd().split('\n')).toHaveLength(count)
    const detail = await ada.get(`${path}/versions/${semver}`)
    expect({ status: detail.status, schemas: detail.json.schemas }).toMatchObject({ status: 200 })
    const record = await ada.get(
      `${path}/versions/${semver}/records/Anything/${count === 1 ? 'one' : 'thing-500'}?proof=true`,
    )
    expect(record.status).toBe(200)
  }

  beforeEach(async () => {
    const made = await testDatabase.settings()
    where = made.settings
    dispose = made.dispose
    key = undefined as unknown as string
    await start()
    for (const slug of ['ours', 'others'])
      expect((await ada.post('/accounts/ada/collections', { slug })).status).toBe(201)
  })
  afterEach(async () => {
    await server.close()
    await dispose()
  })

  test('one small object that many share: another collection stores it again, and both are whole', async () => {
    await pushVersion(ada, ours, { opening: { schemas }, puts: one })
    await restarted(damageSmallSchema)
    await pushVersion(ada, others, { opening: { schemas }, puts: lines })
    await expectWhole(others, 'v1.0.0', lines.length)
    await expectWhole(ours, 'v1.0.0', 1)
    // A push to a damaged base also succeeds.
    await pushVersion(ada, ours, { base: 'v1.0.0', puts: [{ id: 'two', type: 'Anything', data: {} }] })
  })

  test('a push that brings the damaged schema of its own base', async () => {
    await pushVersion(ada, ours, { opening: { schemas }, puts: one })
    await restarted(damageSmallSchema)
    await pushVersion(ada, ours, {
      base: 'v1.0.0',
      opening: { schemas },
      puts: [{ id: 'two', type: 'Anything', data: {} }],
    })
    await expectWhole(ours, 'v1.0.0', 1)
  })

  test('everything there is, pushed again elsewhere, is whole again; so are deltas to it', async () => {
    await pushVersion(ada, ours, { opening: { schemas }, puts: lines })
    const changed = lines.slice(0, 40).map((line) => ({ ...line, data: { changed: line.id } }))
    await restarted((dataFolder) => {
      for (const file of packFiles(dataFolder))
        flip(file, (index, length) => index > 20 && index < length - 2_000)
    })
    expect((await ada.get(`${ours}/versions/v1.0.0/records?limit=10`)).status).toBe(500)
    await pushVersion(ada, others, { opening: { schemas }, puts: lines })
    await expectWhole(others, 'v1.0.0', lines.length)
    await expectWhole(ours, 'v1.0.0', lines.length)
    await pushVersion(ada, ours, { base: 'v1.0.0', puts: changed })
    await expectWhole(ours, 'v1.1.0', lines.length)
  })
})
