/** SQL of attackers changes nothing, shows nothing private, and disturbs no other caller. docs/queries.md#sql */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, type TestResponse, testClient, whenBuilt } from '../testing/test-client.ts'
import { harmless, refused } from './attacks.fixture.ts'

const schemas = {
  Place: {
    type: 'object',
    properties: { name: { type: 'string' }, hush_field: { type: 'string', private: true } },
  },
  HushType: { type: 'object', private: true, properties: { code: { type: 'string' } } },
}
const puts = [
  { id: 'osl', type: 'Place', data: { name: 'Oslo', hush_field: 'hush-value' } },
  { id: 'hush-id', type: 'Place', data: { name: 'hush-name' }, private: true },
  { id: 'x', type: 'HushType', data: { code: 'hush-code' } },
]
/** Growth of the server's heap over all statements. Bytes. */
const growthMax = 24 * 2 ** 20
const all = [...Object.values(refused), ...Object.values(harmless)].flat()

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const heap = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe.each(anyDatabase)('SQL of attackers on $name', (database) => {
  let stage: Stage
  let path: string
  let before: { heap: number; files: string[] }
  /** Two attackers work at the same time: most statements end their process, and starting the next one takes 400 ms. */
  let attackers: TestClient[]
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-attacked-'))
  chmodSync(folder, 0o777)
  const kept = join(folder, 'kept')
  const ask = (client: TestClient, sql: string) =>
    whenBuilt(() => client.post(`${path}/versions/v1.0.0/sql`, { sql }))

  /** Files of the data folder, with their sizes. Links to tables exist for a moment in `scratch`. */
  const filesOfServer = () =>
    readdirSync(stage.server.dataFolder, { recursive: true })
      .map((name) => join(stage.server.dataFolder, String(name)))
      .filter((at) => !at.includes('/scratch') && statSync(at).isFile())
      .map((at) => `${at} ${statSync(at).size}`)

  beforeAll(async () => {
    stage = await setStage(database, { sqlSeconds: 10 })
    const { cookie } = await stage.server.signIn('mallory')
    const mallory = testClient(stage.server.url, await stage.server.keyFor(cookie, 'read'))
    attackers = [stage.eve, mallory]
    path = (await stage.newCollection()).path
    await stage.push(path, { opening: { schemas }, puts })
    writeFileSync(kept, 'kept')
    mkdirSync(join(folder, 'load.sql'))
    await ask(stage.ada, 'SELECT 1 FROM Place')
    await ask(stage.eve, 'SELECT 1 FROM Place')
    // The public table is built ahead as well.
    await vi.waitFor(() => expect(filesOfServer().join(' ')).not.toContain('.ahead.'), { timeout: 60_000 })
    before = { heap: heap(), files: filesOfServer() }
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await stage.end()
  })

  /** Nothing was written, nothing private or of the server is in the answer, and others are served. */
  async function expectUnharmed(sql: string, { text }: TestResponse): Promise<void> {
    // The descriptors of tables lead nowhere, and the attackers know their folder.
    const said = text.replaceAll(/\/proc\/\d+\/fd\/4/g, '').replaceAll(folder, '')
    for (const secret of [/hush-(value|id|name|code)/, /root:x:0/, /DUCK@/, /ULMUS|OIDC|DATABASE_URL/])
      expect(said).not.toMatch(secret)
    for (const name of ['hush_field', 'HushType', stage.server.dataFolder])
      if (!sql.includes(name)) expect(said).not.toContain(name)
    for (const [found] of said.matchAll(/\/(work|home|root|tmp|var|usr|proc|node_modules)\b/g))
      expect(sql).toContain(found)
    expect(readdirSync(folder).sort()).toEqual(['kept', 'load.sql'])
    expect(readFileSync(kept, 'utf8')).toBe('kept')
    expect(filesOfServer()).toEqual(before.files)
    const { json } = await stage.anyone.get(`${path}/versions/v1.0.0/records`)
    expect(json.records).toMatchObject([{ id: 'osl' }])
  }

  /** Each attacker sends every second statement. The comment lets it reach the table, whose name it need not have. */
  async function attack(statements: readonly string[], check: (answer: TestResponse) => void) {
    const lane = async (client: TestClient, start: number) => {
      for (let at = start; at < statements.length; at += attackers.length) {
        const text = statements[at]!.replaceAll('@', folder).replaceAll('~', stage.server.dataFolder)
        const sql = text.length > 60_000 ? text : `${text}\n-- Place`
        const answer = await ask(client, sql)
        try {
          check(answer)
          await expectUnharmed(sql, answer)
        } catch (error) {
          throw new Error(`${sql.slice(0, 200)} → ${answer.text.slice(0, 500)}`, { cause: error })
        }
      }
    }
    await Promise.all(attackers.map(lane))
    expect((await ask(stage.ada, 'SELECT count(*) FROM Place')).json).toMatchObject({ rows: [[2]] })
  }

  test('there are at least 200 different statements', () => {
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(200)
  })

  test.each(Object.entries(refused))('statements that %s are refused', (_aim, statements) =>
    attack(statements, ({ status, json }) => expect([status, json.code]).toEqual([400, 'invalid_sql'])),
  )

  test.each(Object.entries(harmless))('statements that %s find nothing', (_aim, statements) =>
    attack(statements, ({ status, json }) =>
      expect(status === 200 ? 'invalid_sql' : json.code).toBe('invalid_sql'),
    ),
  )

  test.each([
    ['half a surrogate pair', '{"sql": "SELECT \'\\ud800\'"}', 400],
    [
      'bytes that are no UTF-8',
      Buffer.from([...Buffer.from('{"sql": "SELECT '), 0xff, 0xfe, ...Buffer.from('1"}')]),
      400,
    ],
    ['no text', '{"sql": 1}', 400],
    ['a list', '{"sql": ["SELECT 1"]}', 400],
    ['no object', '"SELECT 1"', 400],
    ['nesting', `{"sql": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400],
    ['a limit of rows that is negative', '{"sql": "SELECT 1", "limit": -1}', 400],
  ])('a body with %s is refused', async (_name, body, expected) => {
    const { status } = await stage.eve.post(`${path}/versions/v1.0.0/sql`, body)
    expect(status).toBe(expected)
  })

  test('a caller cannot log or fail statements of another', async () => {
    const [eve, mallory] = attackers as [TestClient, TestClient]
    for (const change of [
      "FROM enable_logging('QueryLog')",
      "FROM enable_profiling(format = 'json', save_location = '/x.json')",
    ]) {
      await ask(eve, `${change} -- Place`)
      expect((await ask(mallory, "SELECT 'my question' FROM Place")).status).toBe(200)
      expect((await ask(eve, 'FROM duckdb_logs() -- Place')).text).not.toContain('my question')
    }
  })

  test('the memory of the server is as before', () => {
    expect(heap() - before.heap).toBeLessThan(growthMax)
  })
})
