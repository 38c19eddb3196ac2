/**
 * Kills the server at random moments during pushes and metadata updates, or stops it gracefully: acknowledged writes survive `kill -9`, and
 * no partial version is visible.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@ulmus/content'
import { type Model, modelSchemas } from '@ulmus/registry/testing/whole-version'
import { databases, type TestDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest } from './testing/serve.ts'
import { type Ended, type ServerProcess, startProcess } from './testing/server-process.ts'
import { type TestClient, testClient } from './testing/test-client.ts'
import { expectWhole } from './testing/whole-version.ts'

const settledMs = 60_000
const jobSettledMs = 60_000

/** One collection with one writer, which knows its acknowledged writes and those under way when the server died. */
class History {
  readonly path: string
  /** By semver. */
  readonly acknowledged = new Map<string, { model: Model; hash: string }>()
  head: { semver: string | null; model: Model } = {
    semver: null,
    model: { records: new Map(), metadata: {} },
  }
  /** Result of the running request, and the path of its state. */
  pending: { model: Model; at?: string } | undefined

  constructor(path: string) {
    this.path = path
  }

  expect(model: Model, at?: string): void {
    this.pending = { model, ...(at === undefined ? {} : { at }) }
  }

  acknowledge({ semver, hash }: { semver: string; hash: string }): void {
    const { model } = this.pending!
    this.acknowledged.set(semver, { model, hash })
    this.head = { semver, model }
    this.pending = undefined
  }
}

describe.each(databases)('a server that is killed, on $name', (database: TestDatabase) => {
  const root = mkdtempSync(join(tmpdir(), 'ulmus-crash-'))
  const dataFolder = join(root, 'data')
  const kills = database.name === 'embedded' ? 10 : 5
  let env: Record<string, string>
  let key: string
  let dispose: () => Promise<void>
  let server: ServerProcess | undefined
  let histories: { pushes: History; later: History; updates: History; jobs: History }

  beforeAll(async () => {
    const made = await database.settings()
    dispose = made.dispose
    env = {
      DATA_DIR: dataFolder,
      ...(made.settings.url === undefined ? {} : { DATABASE_URL: made.settings.url }),
    }
    const first = await serveForTest(made.settings, { dataFolder })
    key = await first.keyFor((await first.signIn('ada')).cookie, 'write')
    const ada = testClient(first.url, key)
    const begun = async (slug: string) => {
      expect((await ada.post('/accounts/ada/collections', { slug })).status).toBe(201)
      const history = new History(`/collections/ada/${slug}`)
      await push(ada, history, 200)
      return history
    }
    const [pushes, later] = [await begun('pushes'), await begun('later')]
    histories = { pushes, later, updates: await begun('updates'), jobs: await begun('jobs') }
    await first.stop()
  })
  afterAll(async () => {
    await server?.end('SIGKILL')
    await dispose()
    rmSync(root, { recursive: true, force: true })
  })

  let counter = 0

  /** Changes `size` records of a collection and removes a few. Commits synchronously or, with `later`, as a job. */
  async function push(
    client: TestClient,
    history: History,
    size: number,
    accepted?: () => void,
  ): Promise<void> {
    const { semver, model } = history.head
    const round = ++counter
    const records = new Map(model.records)
    const ids = Array.from({ length: size }, (_, n) => `id-${(round * 37 + n * 13) % 900}`)
    const puts = ids.map((id) => ({
      id,
      type: 'A',
      data: { n: round, text: `${id} ${'x'.repeat(round % 300)}` },
    }))
    for (const { id, data } of puts) records.set(id, data)
    const gone = [...records.keys()].filter((_, index) => index % 97 === round % 97)
    for (const id of gone) records.delete(id)
    const opening = { base_version: semver, ...(semver === null ? { schemas: modelSchemas } : {}) }
    const opened = await client.post(`${history.path}/pushes`, opening)
    if (opened.status !== 201) throw new Error(opened.text)
    const session = `${history.path}/pushes/${opened.json.session_id}`
    history.expect({ records, metadata: model.metadata }, session)
    await client.lines(`${session}/records`, puts)
    await client.lines(
      `${session}/deletes`,
      gone.map((id) => ({ id, type: 'A' })),
    )
    if (accepted === undefined) {
      const committed = await client.post(`${session}/commit`)
      if (committed.status !== 201) throw new Error(committed.text)
      history.acknowledge(committed.json)
      return
    }
    expect((await client.post(`${session}/commit?async=true`)).status).toBe(202)
    accepted()
    for (;;) {
      const { status, result } = (await client.get(session)).json
      if (status === 'committed') return history.acknowledge(result)
      expect(status).toBe('committing')
      await sleep(5)
    }
  }

  const patch = (client: TestClient, history: History, change: JsonObject, query = '') =>
    client.patch(`${history.path}/metadata${query}`, change)

  /** Updates metadata synchronously or, with `accepted`, as a job. */
  async function update(client: TestClient, history: History, accepted?: () => void): Promise<void> {
    const change = { [`key-${++counter % 5}`]: counter }
    const { records, metadata } = history.head.model
    history.expect({ records, metadata: { ...metadata, ...change } })
    const answer = await patch(client, history, change, accepted === undefined ? '' : '?async=true')
    if (accepted === undefined) {
      if (answer.status !== 201) throw new Error(answer.text)
      return history.acknowledge(answer.json)
    }
    expect(answer.status).toBe(202)
    const at = `${history.path}/metadata/jobs/${answer.json.job_id}`
    history.expect(history.pending!.model, at)
    accepted()
    for (;;) {
      const { status, result } = (await client.get(at)).json
      if (status === 'completed') return history.acknowledge(result)
      expect(status).toBe('running')
      await sleep(5)
    }
  }

  /** Writes to all collections until the connection is cut. Calls `accepted` after every 202. */
  async function writeUntilCut(client: TestClient, accepted: (what: 'push' | 'job') => void): Promise<void> {
    const { pushes, later, updates, jobs } = histories
    const writers = [
      () => push(client, pushes, 150),
      () => push(client, later, 150, () => accepted('push')),
      () => update(client, updates),
      () => update(client, jobs, () => accepted('job')),
    ]
    const cut = (error: NodeJS.ErrnoException) =>
      ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code ?? '')
    await Promise.all(
      writers.map(async (write) => {
        try {
          for (;;) {
            await write()
            await sleep(20)
          }
        } catch (error) {
          if (!cut(error as NodeJS.ErrnoException)) throw error
        }
      }),
    )
  }

  /** Waits for running work to end, then expects all acknowledged writes in the collection, and at most the pending one besides. */
  async function settle(client: TestClient, history: History): Promise<void> {
    const { pending } = history
    if (pending?.at !== undefined) {
      const isJob = pending.at.includes('/jobs/')
      const states = isJob ? ['completed', 'failed'] : ['open', 'committed', 'failed']
      const status = async () => (await client.get(pending.at!)).json.status
      const timeout = isJob ? jobSettledMs : settledMs
      await expect.poll(status, { timeout, interval: 20 }).toSatisfy((one: string) => states.includes(one))
    } else if (pending !== undefined) {
      // An update whose answer was lost blocks other updates until it is settled.
      const free = async () => (await patch(client, history, {})).status
      await expect.poll(free, { timeout: jobSettledMs, interval: 20 }).toBe(200)
    }
    const versions: { semver: string; hash: string }[] = []
    for (let more = true; more; ) {
      const page = (await client.get(`${history.path}/versions?limit=100&offset=${versions.length}`)).json
      versions.push(...page)
      more = page.length === 100
    }
    const found = new Map(versions.map(({ semver, hash }) => [semver, hash]))
    for (const [semver, { hash }] of history.acknowledged) expect(found.get(semver)).toBe(hash)
    const others = versions.filter(({ semver }) => !history.acknowledged.has(semver))
    const end = pending?.at === undefined ? undefined : (await client.get(pending.at)).json
    if (end !== undefined) expect(others.length).toBe(['committed', 'completed'].includes(end.status) ? 1 : 0)
    expect(others.length).toBeLessThanOrEqual(pending === undefined ? 0 : 1)
    if (others[0] !== undefined) {
      await expectWhole(client, history.path, others[0].semver, pending!.model)
      const { semver, hash } = others[0]
      if (end?.result) expect(end.result).toMatchObject({ semver, hash })
      history.acknowledge(others[0])
    }
    history.pending = undefined
    const { semver, model } = history.head
    await expectWhole(client, history.path, semver!, model)
    expect((await client.get(history.path)).json.latestVersion.semver).toBe(semver)
  }

  async function started(): Promise<TestClient> {
    server = await startProcess(env)
    return testClient(server.url, key)
  }

  async function checkEverything(client: TestClient): Promise<void> {
    await Promise.all(
      Object.values(histories).map(async (history) => {
        for (const [semver, { model }] of history.acknowledged)
          await expectWhole(client, history.path, semver, model)
      }),
    )
  }

  test(`killed ${kills} times: every acknowledged version is there, whole and with its digest; no half of any other`, async () => {
    const caught = { push: 0, job: 0 }
    for (let round = 0; round < kills; round++) {
      const client = await started()
      await Promise.all(Object.values(histories).map((history) => settle(client, history)))
      // In every other round, right after a 202, while its work is running or still to come.
      const moment = ([undefined, 'push', undefined, 'job'] as const)[round % 4]
      const before = Object.values(histories).map(({ acknowledged }) => acknowledged.size)
      const killed = Promise.withResolvers<unknown>()
      const kill = () => killed.resolve(server!.end('SIGKILL'))
      let patience = 2 + Math.floor(Math.random() * 3)
      const written = writeUntilCut(client, (what) => {
        if (what === moment && --patience === 0) kill()
      })
      if (moment === undefined) {
        const wrote = () =>
          Object.values(histories).every(({ acknowledged }, n) => acknowledged.size > before[n]!)
        while (!wrote()) await Promise.race([sleep(5), written])
        await sleep(Math.random() * 400)
        kill()
      }
      await killed.promise
      await written
      if (histories.later.pending?.at !== undefined) caught.push++
      if (histories.jobs.pending?.at !== undefined) caught.job++
    }
    const client = await started()
    await Promise.all(Object.values(histories).map((history) => settle(client, history)))
    await checkEverything(client)
    // Check that the test is meaningful: every writer wrote, and kills hit work after its 202.
    expect(
      Math.min(...Object.values(histories).map(({ acknowledged }) => acknowledged.size)),
    ).toBeGreaterThan(3)
    expect(Math.min(caught.push, caught.job)).toBeGreaterThan(0)
  }, 600_000)

  test.runIf(database.name === 'embedded')(
    'a second server on the folder says who holds it and stops with exit code 1; nothing is harmed',
    async () => {
      const client = testClient(server!.url, key)
      const second = await startProcess(env).then(
        () => 'it started',
        (error: Ended) => error,
      )
      expect(second).toMatchObject({
        code: 1,
        err: expect.stringMatching(/in use by process \d+ on \S+ since \d{4}-/),
      })
      await push(client, histories.pushes, 100)
      await settle(client, histories.pushes)
    },
  )

  test('SIGTERM finishes requests and jobs under way and exits 0 within 10 s', async () => {
    const client = testClient(server!.url, key)
    const accepted = Promise.withResolvers<void>()
    // A failure before the 202 fails the test; a later one is settled below.
    const job = update(client, histories.jobs, accepted.resolve).catch(accepted.reject)
    const commit = push(client, histories.pushes, 700).catch(() => undefined)
    await accepted.promise
    const began = performance.now()
    const [code] = await Promise.all([server!.end('SIGTERM'), commit, job])
    expect(code).toBe(0)
    expect(performance.now() - began).toBeLessThan(10_000)
    const again = await started()
    await Promise.all(Object.values(histories).map((history) => settle(again, history)))
  })

  test('to start again changes nothing', async () => {
    const everything = async (client: TestClient) =>
      Promise.all(
        Object.values(histories).map(
          async ({ path }) => (await client.get(`${path}/versions?limit=100`)).text,
        ),
      )
    const before = await everything(testClient(server!.url, key))
    for (let n = 0; n < 2; n++) {
      expect(await server!.end('SIGTERM')).toBe(0)
      expect(await everything(await started())).toEqual(before)
    }
  })
})
