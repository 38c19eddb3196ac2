/** A server on a full disk: reads continue, writes get 507, and no restart is needed once there is space again. */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import { mountSmallDisk, type SmallDisk, smallDisksPossible } from '@ulmus/storage/testing/small-disk'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keyFor, signIn } from './testing/browser.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'
import { openPush } from './testing/stage.ts'
import { fileHash, type TestClient, testClient } from './testing/test-client.ts'

const mebibyte = 2 ** 20
/** More than the ballast that a start on the full disk frees. Bytes. */
const reserve = 96 * mebibyte
const birds = '/collections/ada/birds'
const settled = { timeout: 20_000, interval: 250 }

const line = (id: string) => ({ id, type: 'Bird', data: { name: id } })

/** Sends a body in pieces, like a streaming client. `length`: the announced length. */
function upload(url: string, key: string, bytes: Uint8Array, length?: number) {
  return new Promise<{ status: number; json: { code?: string } }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...(length && { 'content-length': length }) }
    const sent = httpRequest(`${url}/api${birds}/files/${fileHash(bytes)}`, { method: 'PUT', headers })
    sent.on('response', async (answer) => {
      const text = Buffer.concat(await Array.fromAsync(answer)).toString()
      resolve({ status: answer.statusCode!, json: JSON.parse(text) })
    })
    sent.on('error', reject)
    for (let at = 0; at < bytes.length; at += 65_536) sent.write(bytes.subarray(at, at + 65_536))
    sent.end()
  })
}

describe.skipIf(!smallDisksPossible())('a disk that fills up', () => {
  let disk: SmallDisk
  let server: ServerProcess
  let key: string
  let ada: TestClient
  let session: string

  const start = async () => {
    server = await startProcess({ DATA_DIR: join(disk.folder, 'data'), DISK_RESERVE_BYTES: String(reserve) })
    ada = testClient(server.url, key)
  }
  const ready = async () => {
    const answer = await fetch(`${server.url}/readyz`)
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  const schemas = { Bird: { properties: { name: { type: 'string' } } } }
  const open = (base: string | null) => openPush(ada, birds, { base, opening: { schemas } })
  const send = (to: string, id: string) => ada.lines(`${to}/records`, [line(id)])

  /** All kinds of writes. */
  const writes = async () => [
    await ada.post('/accounts/ada/collections', { slug: `more-${randomBytes(4).toString('hex')}` }),
    await send(session, 'wren'),
    await upload(server.url, key, randomBytes(1_000)),
    await ada.patch(`${birds}/metadata`, { license: randomBytes(4).toString('hex') }),
    await ada.post(`${session}/commit`),
  ]
  const expectReadable = async () => {
    expect(await ready()).toEqual({
      status: 200,
      ready: true,
      database: true,
      objects: true,
      storage: 'full',
      worker: 'paused',
      problems: [expect.stringContaining('disk is full')],
    })
    const records = await ada.get(`${birds}/versions/v1.0.0/records.ndjson`)
    expect(records).toMatchObject({ status: 200, text: expect.stringContaining('robin') })
    expect((await ada.get(`${birds}/files/${fileHash('a song')}`)).status).toBe(200)
    expect((await ada.get(session)).status).toBe(200)
  }
  const expectRefused = async () => {
    for (const { status, json } of await writes()) {
      expect({ status, ...json }).toMatchObject({
        status: 507,
        code: 'storage_full',
        error: expect.stringContaining('reading still works'),
      })
    }
  }

  beforeEach(async () => {
    disk = mountSmallDisk(448 * mebibyte)
    const made = await databases.find(({ name }) => name === 'embedded')!.settings()
    mkdirSync(join(disk.folder, 'data'))
    cpSync(made.settings.folder!, join(disk.folder, 'data', 'database'), { recursive: true })
    await made.dispose()
    key = ''
    await start()
    key = await keyFor(server.url, (await signIn(server.url, { login: 'ada' })).cookie, 'admin')
    ada = testClient(server.url, key)
    expect((await ada.post('/accounts/ada/collections', { slug: 'birds' })).status).toBe(201)
    expect((await ada.post('/accounts/ada/collections', { slug: 'spare' })).status).toBe(201)
    const first = await open(null)
    expect((await send(first, 'robin')).status).toBe(200)
    expect((await ada.post(`${first}/commit`)).status).toBe(201)
    expect((await upload(server.url, key, Buffer.from('a song'))).status).toBe(201)
    session = await open('v1.0.0')
    expect((await send(session, 'finch')).status).toBe(200)
  })
  afterEach(async () => {
    await server.end('SIGKILL')
    disk.dispose()
  })

  test('reads go on, also after a start on it; writes are 507, and go on by themselves when there is room', async () => {
    const ballast = join(disk.folder, 'data', 'database', 'ballast')
    await vi.waitUntil(() => existsSync(ballast), settled)

    disk.fill(reserve - mebibyte)
    await vi.waitFor(async () => expect(await ready()).toMatchObject({ storage: 'full' }), settled)
    await expectReadable()
    await expectRefused()
    // Deletions are allowed.
    expect((await ada.delete('/collections/ada/spare')).status).toBe(200)

    disk.fill(0)
    await expectReadable()
    await expectRefused()

    await server.end('SIGKILL')
    await start()
    expect(existsSync(ballast)).toBe(false)
    await expectReadable()
    await expectRefused()

    disk.clear()
    await vi.waitFor(async () => expect(await ready()).toMatchObject({ storage: 'ok' }), settled)
    const statuses = (await writes()).map(({ status }) => status)
    // The update moved the head, so the push conflicts.
    expect(statuses).toEqual([201, 200, 201, 201, 409])
    session = await open('v1.0.1')
    expect((await send(session, 'wren')).status).toBe(200)
    await vi.waitFor(async () => {
      const { status } = await ada.post(`${session}/commit?async=true`)
      expect(status).toBe(202)
    }, settled)
    await vi.waitFor(async () => {
      expect((await ada.get(session)).json).toMatchObject({ status: 'committed' })
    }, settled)
    await vi.waitUntil(() => existsSync(ballast), settled)
  })

  test('an upload that meets the reserve is 507 and leaves nothing behind', async () => {
    disk.fill(reserve + 24 * mebibyte)
    const before = disk.free()
    const large = randomBytes(40 * mebibyte)
    const refused = { status: 507, json: { code: 'storage_full' } }
    expect(await upload(server.url, key, large)).toMatchObject(refused)
    expect(await upload(server.url, key, large, large.length)).toMatchObject(refused)
    await expect.poll(() => readdirSync(join(disk.folder, 'data', 'objects', 'tmp'))).toEqual([])
    expect(before - disk.free()).toBeLessThan(mebibyte)
    expect((await upload(server.url, key, randomBytes(1_000))).status).toBe(201)
    expect((await ada.get(`${birds}/files/${fileHash(large)}`)).status).toBe(404)
  })
})
