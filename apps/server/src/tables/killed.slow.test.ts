/** `kill -9` of a process that builds a table, of one that runs SQL, and of the server: the next question is answered, nothing stays behind. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { serveForTest } from '../testing/serve.ts'
import { type ServerProcess, startProcess } from '../testing/server-process.ts'
import { openPush } from '../testing/stage.ts'
import { expectStatus, type TestClient, type TestResponse, testClient } from '../testing/test-client.ts'

const path = '/collections/ada/kept'
/** Records of a version: a build takes several parts. */
const count = 30_000
const linesOf = (version: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `r${n}`,
    type: 'A',
    data: { n: n + version, text: `${version} `.repeat(300) },
  }))
const soon = { timeout: 60_000, interval: 5 }

describe.each(anyDatabase)('a process that is killed, on $name', (database) => {
  const root = mkdtempSync(join(tmpdir(), 'ulmus-killed-'))
  const folder = join(root, 'data', 'tables')
  let env: Record<string, string>
  let key: string
  let server: ServerProcess
  let ada: TestClient
  let dispose: () => Promise<void>

  const start = async () => {
    server = await startProcess(env)
    ada = testClient(server.url, key)
  }
  /** Ids of the server's child processes that run this program. */
  const childrenOf = (program: 'engine' | 'sql', parent = server.pid): number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((id) => {
        try {
          const [, ppid] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
          const command = readFileSync(`/proc/${id}/cmdline`, 'utf8')
          return Number(ppid) === parent && command.includes(`tables/${program}/program`)
        } catch {
          return false
        }
      })
      .map(Number)
  const isAlive = (id: number): boolean => {
    try {
      return !/^State:\s*Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
    } catch {
      return false
    }
  }
  const filesOfTables = () => {
    try {
      return readdirSync(folder, { recursive: true }).map(String)
    } catch {
      return []
    }
  }
  const unfinished = () => filesOfTables().filter((name) => /\.duckdb\.[0-9a-f]{8}-/.test(name))
  const isBuilding = () => unfinished().some((name) => name.endsWith('.ndjson'))
  const rowsAt = (version: string) => ada.get(`${path}/versions/${version}/tables/A/rows?limit=1`)
  /** Asks as clients do: again after 202, 429 and 503. */
  async function answered(version: string): Promise<TestResponse> {
    for (;;) {
      const answer = await rowsAt(version)
      if (![202, 422, 429, 503].includes(answer.status)) return answer
    }
  }
  async function push(version: number, base: string | null): Promise<void> {
    const lines = linesOf(version)
    const schemas = {
      A: { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } } },
    }
    const session = await openPush(ada, path, { base, ...(base === null && { opening: { schemas } }) })
    for (let at = 0; at < count; at += 5_000)
      await expectStatus(ada.lines(`${session}/records`, lines.slice(at, at + 5_000)), 200)
    await expectStatus(ada.post(`${session}/commit`), 201)
  }

  beforeAll(async () => {
    const made = await database.settings()
    dispose = made.dispose
    const { url } = made.settings
    env = { DATA_DIR: join(root, 'data'), ...(url !== undefined && { DATABASE_URL: url }) }
    const first = await serveForTest(made.settings, { dataFolder: env['DATA_DIR']! })
    key = await first.keyFor((await first.signIn('ada')).cookie, 'write')
    await first.stop()
    await start()
    await expectStatus(ada.post('/accounts/ada/collections', { slug: 'kept' }), 201)
    await push(0, null)
    await push(1, 'v1.0.0')
  }, 240_000)
  afterAll(async () => {
    await server.end('SIGKILL')
    await dispose()
    rmSync(root, { recursive: true, force: true })
  })

  test('a build whose process is killed is refused for now, and succeeds when it is asked again', async () => {
    const asked = rowsAt('v1.0.0')
    await vi.waitUntil(isBuilding, soon)
    for (const id of childrenOf('engine')) process.kill(id, 'SIGKILL')
    expect([202, 429, 503]).toContain((await asked).status)
    expect((await answered('v1.0.0')).json).toMatchObject({ total: count })
    expect(unfinished()).toEqual([])
  }, 240_000)

  test('a statement whose process is killed is refused, and the next one is answered', async () => {
    const run = (sql: string) => ada.post(`${path}/versions/v1.0.0/sql`, { sql })
    const asked = run('SELECT count(*) FROM A, range(1000000000000) t(i) WHERE i % 7 = 8')
    await vi.waitUntil(() => childrenOf('sql').length > 0, soon)
    for (const id of childrenOf('sql')) process.kill(id, 'SIGKILL')
    const { status, json } = await asked
    expect([422, 501]).toContain(status)
    expect(['query_too_costly', 'sql_unavailable']).toContain(json.code)
    expect((await run('SELECT count(*) FROM A')).json).toMatchObject({ rows: [[count]] })
    // The folder of the only server.
    expect(readdirSync(join(folder, '1', 'scratch'))).toEqual([])
  }, 240_000)

  test('a server that is killed during a build and a statement leaves no process, and builds the table after its start', async () => {
    const statement = ada.post(`${path}/versions/v1.0.0/sql`, {
      sql: 'SELECT count(*) FROM range(1000000000000)',
    })
    statement.catch(() => undefined)
    await vi.waitUntil(() => childrenOf('sql').length > 0, soon)
    const asked = rowsAt('v1.1.0')
    asked.catch(() => undefined)
    await vi.waitUntil(isBuilding, soon)
    const children = [...childrenOf('engine'), ...childrenOf('sql')]
    await server.end('SIGKILL')
    await vi.waitUntil(() => !children.some(isAlive), soon)
    const left = unfinished()
    expect(left).not.toEqual([])

    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    for (const name of left) utimesSync(join(folder, name), longAgo, longAgo)
    await start()
    await vi.waitUntil(() => unfinished().length === 0, soon)
    expect((await answered('v1.1.0')).json).toMatchObject({ total: count })
    expect((await answered('v1.0.0')).json).toMatchObject({ total: count })
    expect(unfinished()).toEqual([])
  }, 240_000)
})
