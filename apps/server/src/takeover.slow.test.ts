/** Two servers on one database and one store: both can use every session, and each finishes the work of the other after its death. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashText, type Json, recordOf } from '@ulmus/content'
import { type Model, modelSchemas } from '@ulmus/registry/testing/whole-version'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { type ServerProcess, startProcess } from './testing/server-process.ts'
import { type TestClient, testClient } from './testing/test-client.ts'
import { expectWhole } from './testing/whole-version.ts'

const settledMs = 60_000
const kills = 3

const linesOf = (from: number, to: number, round = 0) =>
  Array.from({ length: to - from }, (_, i) => ({
    id: `id-${from + i}`,
    type: 'A',
    data: { n: round, text: hashText(`${round} ${from + i}`) },
  }))

const modelOf = (lines: ReturnType<typeof linesOf>): Model => ({
  records: new Map(lines.map(({ id, data }): [string, Json] => [id, data])),
  metadata: {},
})

describe.each(databases.filter(({ name }) => name === 'server'))('two servers on one $name', (database) => {
  const root = mkdtempSync(join(tmpdir(), 'ulmus-takeover-'))
  const ending = new AsyncDisposableStack()
  ending.defer(() => rmSync(root, { recursive: true, force: true }))
  let env: Record<string, string>
  let key: string
  let a: ServerProcess
  let b: ServerProcess
  let onA: TestClient
  let onB: TestClient

  async function start(): Promise<{ server: ServerProcess; client: TestClient }> {
    const server = await startProcess(env)
    ending.defer(async () => void (await server.end('SIGKILL')))
    return { server, client: testClient(server.url, key) }
  }

  beforeAll(async () => {
    const { settings, dispose } = await database.settings()
    ending.defer(dispose)
    env = { DATA_DIR: join(root, 'data'), DATABASE_URL: settings.url! }
    const first = await serveForTest(settings, { dataFolder: env['DATA_DIR']! })
    key = await first.keyFor((await first.signIn('ada')).cookie, 'write')
    await first.stop()
    ;({ server: a, client: onA } = await start())
    ;({ server: b, client: onB } = await start())
  })
  afterAll(() => ending.disposeAsync())

  async function begin(
    slug: string,
    kind: 'pushes' | 'versions/negotiate',
    opening: object,
  ): Promise<string> {
    expect((await onA.post('/accounts/ada/collections', { slug })).status).toBe(201)
    const body = { base_version: null, schemas: modelSchemas, ...opening }
    const { json } = await onA.post(`/collections/ada/${slug}/${kind}`, body)
    expect(json.session_id).toEqual(expect.any(String))
    return `/collections/ada/${slug}/${kind}/${json.session_id}`
  }

  test('a push opened and half sent on one is continued and committed on the other', async () => {
    const lines = linesOf(0, 3_000)
    const session = await begin('delta', 'pushes', {})
    expect((await onA.lines(`${session}/records`, lines.slice(0, 1_500))).status).toBe(200)
    expect((await onB.lines(`${session}/records`, lines.slice(1_500))).status).toBe(200)
    expect((await onB.lines(`${session}/deletes`, [{ id: 'id-0', type: 'A' }])).status).toBe(200)
    const { status, json } = await onB.post(`${session}/commit`)
    expect([status, json.semver]).toEqual([201, 'v1.0.0'])
    // Committing twice answers with the first result, whichever server gets the request.
    expect((await onA.post(`${session}/commit`)).json).toEqual(json)
    for (const client of [onA, onB])
      await expectWhole(client, '/collections/ada/delta', 'v1.0.0', modelOf(lines.slice(1)))
  })

  test('a snapshot named on one and sent on both is committed on the other', async () => {
    const lines = linesOf(0, 2_000)
    const manifest = lines.map(({ id, type, data }) => ({ id, type, hash: recordOf(id, type, data).hash }))
    const session = await begin('snapshot', 'versions/negotiate', { manifest_expected: lines.length })
    await onA.lines(`${session}/manifest`, manifest.slice(0, 1_200))
    const told = await onB.lines(`${session}/manifest`, manifest.slice(1_200))
    expect(told.json.manifest_received).toBe(lines.length)
    expect((await onB.lines(`${session}/records`, lines.slice(0, 900))).json).toEqual({
      received: 900,
      remaining: 1_100,
    })
    expect((await onA.lines(`${session}/records`, lines.slice(900))).json.remaining).toBe(0)
    expect((await onB.post(`${session}/commit`)).status).toBe(201)
    await expectWhole(onB, '/collections/ada/snapshot', 'v1.0.0', modelOf(lines))
  })

  test('a server that is killed in the middle of a commit leaves it to the other, which settles it', async () => {
    let caught = 0
    for (let round = 0; round < kills; round++) {
      const slug = `killed-${round}`
      const lines = linesOf(0, 30_000, round)
      const session = await begin(slug, 'pushes', {})
      for (let at = 0; at < lines.length; at += 10_000)
        expect((await onA.lines(`${session}/records`, lines.slice(at, at + 10_000))).status).toBe(200)
      expect((await onA.post(`${session}/commit?async=true`)).status).toBe(202)
      await sleep(round * 60)
      await a.end('SIGKILL')
      if ((await onB.get(session)).json.status === 'committing') caught++
      const status = async () => (await onB.get(session)).json.status
      await expect.poll(status, { timeout: settledMs, interval: 50 }).toBe('committed')
      await expectWhole(onB, `/collections/ada/${slug}`, 'v1.0.0', modelOf(lines))
      expect((await onB.get(`/collections/ada/${slug}/versions`)).json).toHaveLength(1)
      ;({ server: a, client: onA } = await start())
    }
    expect(caught).toBeGreaterThan(0)
    expect(await b.end('SIGTERM')).toBe(0)
  }, 120_000)
})
