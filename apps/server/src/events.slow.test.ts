/**
 * Events of 16 writers on two servers, one of which is killed again and again: consecutive numbers, in order, nothing lost; and a webhook
 * receives each.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { compareSemver, parseSemver } from '@ulmus/content'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'
import { pushVersion } from './testing/stage.ts'
import { type TestClient, testClient } from './testing/test-client.ts'

const writers = 16
const collections = 12
const kills = 4
const settledMs = 30_000

interface Event {
  seq: number
  kind: string
  collection: { slug: string }
  semver?: string
}

const root = mkdtempSync(join(tmpdir(), 'ulmus-events-'))
const ending = new AsyncDisposableStack()
ending.defer(() => rmSync(root, { recursive: true, force: true }))
let env: Record<string, string>
let key: string
let url: string
let steady: TestClient
/** `webhook-id` of the requests that the receiver got for each new version. */
const heard = new Map<string, string[]>()
let killed: { server: ServerProcess; client: TestClient }

async function start(): Promise<typeof killed> {
  const server = await startProcess(env)
  ending.defer(async () => void (await server.end('SIGKILL')))
  return { server, client: testClient(server.url, key) }
}

beforeAll(async () => {
  const { settings, dispose } = await databases.find(({ name }) => name === 'server')!.settings()
  ending.defer(dispose)
  const receiver = createServer(async (request, response) => {
    const { data } = (await json(request)) as { data: { collection: { slug: string }; semver: string } }
    const version = `${data.collection.slug} ${data.semver}`
    heard.set(version, [...(heard.get(version) ?? []), String(request.headers['webhook-id'])])
    // Servers are killed while they wait for this.
    setTimeout(() => response.writeHead(204).end(), 20)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  ending.defer(() => void receiver.close())
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const keyFile = join(root, 'secrets.key')
  writeFileSync(keyFile, Buffer.alloc(32, 1).toString('base64'))
  env = {
    ...{ DATA_DIR: join(root, 'data'), DATABASE_URL: settings.url! },
    ...{ SECRETS_KEY_FILE: keyFile, OUTSIDE_ALLOW: url },
  }
  const first = await serveForTest(settings, { dataFolder: env['DATA_DIR']! })
  key = await first.keyFor((await first.signIn('ada')).cookie, 'admin')
  await first.stop()
  steady = (await start()).client
  killed = await start()
})
afterAll(() => ending.disposeAsync())

/** All events, page by page, once there are no new ones. */
async function everyEvent(count: number): Promise<Event[]> {
  const events: Event[] = []
  let next = 0
  for (const until = Date.now() + settledMs; events.length < count && Date.now() < until; ) {
    const { json } = await steady.get(`/events?after=${next}&wait=1`)
    events.push(...json.events)
    next = json.next
  }
  return [...events, ...(await steady.get(`/events?after=${next}&wait=2`)).json.events]
}

test('no event is lost, doubled or out of order while servers die', { timeout: 300_000 }, async () => {
  const hook = { url, kinds: ['version.made'] }
  expect((await steady.post('/accounts/ada/webhooks', hook)).status).toBe(201)
  const slugs = Array.from({ length: collections }, (_, n) => `c${n}`)
  for (const slug of slugs) {
    expect((await steady.post('/accounts/ada/collections', { slug })).status).toBe(201)
    await pushVersion(steady, `/collections/ada/${slug}`, { opening: { schemas: { A: {} } } })
  }
  let writing = true
  const landed: string[] = []
  let count = 0
  const write = async (writer: number) => {
    while (writing) {
      const slug = slugs[(writer + count) % collections]!
      const client = writer % 2 === 0 ? steady : killed.client
      // A killed server answers nothing, and one update of a collection runs at a time (409).
      const answer = await client
        .patch(`/collections/ada/${slug}/metadata`, { note: `n${++count}` })
        .catch(() => undefined)
      if (answer?.status === 201) landed.push(`${slug} ${answer.json.semver}`)
      // More than a receiver takes would disable the webhook.
      await sleep(150)
    }
  }
  const all = Array.from({ length: writers }, (_, writer) => write(writer))
  for (let n = 0; n < kills; n++) {
    await sleep(700 + n * 130)
    await killed.server.end('SIGKILL')
    killed = await start()
  }
  writing = false
  await Promise.all(all)
  expect(landed.length).toBeGreaterThan(50)

  const events = await everyEvent(landed.length + 2 * collections)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  for (const slug of slugs) {
    const own = events.filter(({ collection }) => collection.slug === slug)
    const versions = own.filter(({ kind }) => kind === 'version.made').map(({ semver }) => semver!)
    const ordered = versions.toSorted((a, b) => compareSemver(parseSemver(a)!, parseSemver(b)!))
    expect([slug, own[0]?.kind, versions]).toEqual([slug, 'collection.made', ordered])
    // A killed server may have recorded a version that it did not answer.
    const listed: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await steady.get(`/collections/ada/${slug}/versions?limit=100${cursor}`)
      listed.push(...page.json.map(({ semver }: { semver: string }) => semver))
      const next = /[?&](cursor=[^&>]+)[^>]*>; rel="next"/.exec(String(page.headers['link'] ?? ''))
      cursor = next === null ? undefined : `&${next[1]}`
    }
    expect(versions.toReversed()).toEqual(listed)
  }
  // A killed server's requests are repeated 20 s later, with the same id.
  const versions = events.filter(({ kind }) => kind === 'version.made')
  const names = versions.map(({ collection, semver }) => `${collection.slug} ${semver}`)
  await expect.poll(() => names.filter((one) => !heard.has(one)), { timeout: 120_000 }).toEqual([])
  for (const ids of heard.values()) expect(new Set(ids).size).toBe(1)
  expect(heard.size).toBe(names.length)
  const made = new Set(events.map(({ collection, semver }) => `${collection.slug} ${semver}`))
  expect(landed.filter((one) => !made.has(one))).toEqual([])
})
