/** Streams that clients do not read, on a server process: their number, memory and leftovers. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyFor, signIn } from './testing/browser.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'
import { openPush } from './testing/stage.ts'
import { testClient } from './testing/test-client.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-idle-streams-'))
let server: ServerProcess
let key: string

beforeAll(async () => {
  server = await startProcess({ DATA_DIR: folder })
  const signedIn = await signIn(server.url, { login: 'ada' })
  const ada = testClient(server.url, signedIn)
  key = await keyFor(server.url, signedIn.cookie, 'write')
  await ada.post('/accounts/ada/collections', { slug: 'big', public: true })
  const session = await openPush(ada, '/collections/ada/big', { opening: { schemas: { A: {} } } })
  // More than the cache of a version, so that threads decode it, and more than the buffers of connections, even compressed.
  for (let batch = 0; batch < 8; batch++) {
    const lines = Array.from({ length: 8_000 }, (_, n) => {
      const id = `${batch}-${n}`
      return { id, type: 'A', data: { text: randomBytes(360).toString('base64url') } }
    })
    expect((await ada.lines(`${session}/records`, lines)).status).toBe(200)
  }
  expect((await ada.post(`${session}/commit`)).status).toBe(201)
}, 120_000)
afterAll(async () => {
  await server?.end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const paths = {
  records: '/collections/ada/big/versions/v1.0.0/records.ndjson',
  archive: '/collections/ada/big/export',
}

/** Resident memory in MiB, as the system counts it. */
const residentMiB = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024

/** Sends a request and reads only the head of the answer. */
async function open(path: string, headers: Record<string, string>, localAddress?: string) {
  const asked = request(`${server.url}/api${path}`, { headers, localAddress, agent: false }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return answer
}

test('one caller has room for some: more are 429 until one of them has ended', async () => {
  const headers = { authorization: `Bearer ${key}` }
  const answers: IncomingMessage[] = []
  // A quarter of the memory, at most 2 GiB; an account may have an eighth of that.
  while (answers.length < 33 && answers.at(-1)?.statusCode !== 429) {
    answers.push(await open(paths.records, { ...headers, 'accept-encoding': 'zstd' }))
  }
  const refused = answers.at(-1)!
  expect(answers.length).toBeGreaterThan(8)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  expect(JSON.parse((await refused.setEncoding('utf8').toArray()).join(''))).toMatchObject({ code: 'busy' })
  expect((await open(paths.archive, headers)).statusCode).toBe(429)
  // Other answers and other callers are not affected.
  expect((await fetch(`${server.url}/api/accounts/me`, { headers })).status).toBe(200)
  expect((await fetch(`${server.url}/api${paths.records}`, { method: 'HEAD', headers })).status).toBe(200)
  expect((await open(paths.records, {})).destroy().statusCode).toBe(200)
  for (const answer of answers) answer.destroy()
  await expect
    .poll(async () => (await open(paths.records, headers)).destroy().statusCode, { timeout: 20_000 })
    .toBe(200)
})

test.skipIf(process.platform !== 'linux')(
  'streams that clients do not read hold bounded memory, and free it at their end',
  async () => {
    // Fill caches and start threads.
    for (let round = 0; round < 3; round++)
      await (await fetch(`${server.url}/api${paths.records}`)).arrayBuffer()
    const before = residentMiB()
    const statuses: number[] = []
    for (const encoding of ['identity', 'zstd']) {
      const beforeThese = residentMiB()
      const answers: IncomingMessage[] = []
      for (let n = 0; n < 48; n++) {
        // Each is a separate caller for the server.
        const asked = open(paths.records, { 'accept-encoding': encoding }, `127.0.1.${n + 1}`)
        answers.push(await asked)
      }
      await sleep(1_000)
      const taken = answers.filter(({ statusCode }) => statusCode === 200).length
      expect(taken).toBeGreaterThan(30)
      // The memory for answers counts 8 MiB for each; garbage is beside them.
      expect(residentMiB() - beforeThese).toBeLessThan(100 + 8 * taken)
      statuses.push(...answers.map(({ statusCode }) => statusCode!))
      for (const answer of answers) answer.destroy()
      await sleep(500)
    }
    expect(new Set(statuses)).toSatisfy((all: Set<number>) => all.has(200) && all.size <= 2)
    await expect.poll(() => residentMiB() - before, { timeout: 30_000 }).toBeLessThan(200)
  },
  120_000,
)
