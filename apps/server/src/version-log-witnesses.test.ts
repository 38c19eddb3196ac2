/** Two registries witness each other’s logs, over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openNote, parseVkey, signerOf, skeyOf, vkeyOf } from '@ulmus/content/log'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { serveForTest, type TestServer } from './testing/serve.ts'
import { expectStatus, testClient } from './testing/test-client.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-witnesses-'))
const ending: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })]
let servers: TestServer[]

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

beforeAll(async () => {
  const ports = [await freePort(), await freePort()]
  const places = [await databases[0]!.settings(), await databases[1]!.settings()]
  const keys = [1, 2].map((n) => signerOf(`r${n}.example/log/1`, 'ed25519', new Uint8Array(32).fill(n)))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const start = async (n: number, witness?: string) => {
    const other = `http://127.0.0.1:${ports[1 - n]}`
    return serveForTest(places[n]!.settings, {
      port: ports[n]!,
      dataFolder: join(folder, `data${n}`),
      outside: { allow: other },
      rateLimits: n === 0 ? null : { anonymous: 60, account: 1_000, signIn: 1_000, reports: 10 },
      versionLog: {
        keyFile: file(`key${n}`, skeyOf(keys[n]!)),
        witnessedFile: file(`logs${n}`, `# Logs of others\n${vkeyOf(keys[1 - n]!)}\n`),
        witnessesFile: witness && file(`witnesses${n}`, `${witness} ${other}/log/witness/\n`),
      },
    })
  }
  const before = await Promise.all([start(0), start(1)])
  const witnesses = await Promise.all(before.map(({ url }) => witnessAt(url)))
  await Promise.all(before.map((server) => server.stop()))
  places[0]!.settings = { folder: join(folder, 'data0/database') }
  servers = await Promise.all([start(0, witnesses[1]), start(1, witnesses[0])])
  ending.push(...servers.map((server) => () => server.close()), ...places.map(({ dispose }) => dispose))
}, 60_000)
afterAll(async () => {
  for (const end of ending.toReversed()) await end()
})

const witnessAt = (url: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const { witness } = (await testClient(url).get('/log')).json
      expect(witness).toMatch(/^r\d\.example\/log\/1\/witness\+/)
      return witness
    },
    { timeout: 20_000, interval: 100 },
  )

const post = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${url}/log/witness/add-checkpoint`, { method: 'POST', body, headers })

test('each checkpoint gets the line of the other registry', { timeout: 60_000 }, async () => {
  const [one, two] = servers as [TestServer, TestServer]
  const { cookie } = await one.signIn('ada')
  const ada = testClient(one.url, await one.keyFor(cookie, 'admin'))
  await expectStatus(ada.post('/accounts/ada/collections', { slug: 'cities', public: true }), 201)
  const push = { base_version: null, schemas: { City: {} } }
  const { session_id } = (await ada.post('/collections/ada/cities/pushes', push)).json
  await expectStatus(ada.post(`/collections/ada/cities/pushes/${session_id}/commit`, {}), 201)
  for (const [server, other, size] of [
    [one, two, 2],
    [two, one, 1],
  ] as const) {
    const { keys } = (await testClient(server.url).get('/log')).json
    const known = [parseVkey(keys[0].vkey), parseVkey(await witnessAt(other.url))]
    const verified = async () => {
      const note = await (await fetch(`${server.url}/log/checkpoint`)).text()
      return note.split('\n')[1] === String(size) ? openNote(note, known).verified.length : 0
    }
    await expect.poll(verified, { timeout: 30_000, interval: 200 }).toBe(2)
  }
  const rows = await testClient(one.url).get('/collections/ada/cities/versions/v1.0.0/log')
  expect(rows.json.proof).toContain('— r2.example/log/1/witness ')
})

test('hostile requests to a witness', { timeout: 60_000 }, async () => {
  const [one, two] = servers as [TestServer, TestServer]
  const note = await (await fetch(`${two.url}/log/checkpoint`)).text()
  const known = await post(one.url, `old 0\n\n${note}`)
  expect([known.status, known.headers.get('content-type'), await known.text()]).toEqual([
    ...[409, 'text/x.tlog.size', '1\n'],
  ])
  const again = await post(one.url, `old 1\n\n${note}`, { 'content-type': 'application/json' })
  expect(again.status).toBe(200)
  expect(again.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const own = await (await fetch(`${one.url}/log/checkpoint`)).text()
  expect((await post(one.url, `old 0\n\n${own}`)).status).toBe(404)
  expect((await post(one.url, '')).status).toBe(400)
  expect((await post(one.url, Buffer.from([0xff, 0xfe, 0, 10, 10]))).status).toBe(400)
  expect((await post(one.url, 'x'.repeat(64 * 1024 + 1))).status).toBe(413)
  const zipped = await post(one.url, gzipSync('x'.repeat(1e6)), { 'content-encoding': 'gzip' })
  expect(zipped.status).toBe(415)
  const statuses = await Promise.all(Array.from({ length: 100 }, () => post(two.url, 'x')))
  expect(statuses.filter(({ status }) => status === 429).length).toBeGreaterThan(20)
})
