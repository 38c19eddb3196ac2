/** SQL of callers: answers, limits, and attacks. docs/queries.md#sql */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { type TestClient, whenBuilt } from '../../testing/test-client.ts'

const schemas = {
  Place: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      people: { type: 'integer' },
      secret: { type: 'string', private: true },
      tags: { type: 'array', items: { type: 'string' } },
    },
  },
  place: { type: 'object', properties: { name: { type: 'string' } } },
  'Two "words"; --': { type: 'object', properties: { 'a "b"': { type: 'number' } } },
}
const puts = [
  { id: 'osl', type: 'Place', data: { name: 'Oslo, "O"', people: 709037, secret: 'fox', tags: ['a', 'b'] } },
  { id: 'tos', type: 'Place', data: { name: '', people: 77544 } },
  { id: 'hid', type: 'Place', data: { name: 'Atlantis' }, private: true },
  { id: 'low', type: 'place', data: { name: 'small' } },
  { id: 'odd', type: 'Two "words"; --', data: { 'a "b"': 1.5 } },
]

describe.each(anyDatabase)('SQL on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let eve: TestClient
  let path: string
  const run = (client: TestClient, sql: string, more = {}) =>
    whenBuilt(() => client.post(`${path}/versions/v1.0.0/sql`, { sql, ...more }))
  const rows = async (client: TestClient, sql: string) => {
    const { json } = await run(client, sql)
    return json.rows ?? json
  }

  beforeAll(async () => {
    stage = await setStage(database, { sqlSeconds: 60 })
    ;({ ada, eve } = stage)
    path = (await stage.newCollection()).path
    await stage.push(path, { opening: { schemas }, puts })
  })
  afterAll(() => stage.end())

  test('answers with columns and rows, as JSON, CSV and NDJSON', async () => {
    const sql = 'SELECT name, people, tags, people > 100000 AS large FROM "Place" ORDER BY _id'
    const { json } = await run(eve, sql)
    expect(json).toMatchObject({
      columns: [
        { name: 'name', type: 'VARCHAR' },
        { name: 'people', type: 'BIGINT' },
        { name: 'tags', type: 'VARCHAR[]' },
        { name: 'large', type: 'BOOLEAN' },
      ],
      rows: [
        ['Oslo, "O"', 709037, ['a', 'b'], true],
        ['', 77544, null, false],
      ],
      truncated: false,
    })
    const at = `${path}/versions/v1.0.0/sql`
    const csv = await eve.request('POST', at, {
      body: JSON.stringify({ sql }),
      headers: { 'content-type': 'application/json', accept: 'text/csv' },
    })
    expect(csv.text).toBe(
      'name,people,tags,large\n"Oslo, ""O""",709037,"[""a"",""b""]",true\n"",77544,,false\n',
    )
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    const byUrl = await eve.get(`${at}?format=ndjson&limit=1&sql=${encodeURIComponent(sql)}`)
    expect(byUrl.text).toBe('{"name":"Oslo, \\"O\\"","people":709037,"tags":["a","b"],"large":true}\n')
    expect(byUrl.headers['x-truncated']).toBe('true')
  })

  test('answers as Parquet under the rules of CSV', async () => {
    const sql = 'SELECT _id, people, tags FROM Place ORDER BY 1'
    const at = `${stage.server.url}/api${path}/versions/v1.0.0/sql`
    const { cookie } = await stage.server.signIn('eve')
    const key = { authorization: `Bearer ${await stage.server.keyFor(cookie, 'read')}` }
    const found = await fetch(`${at}?${new URLSearchParams({ sql, format: 'parquet' })}`, { headers: key })
    expect(Object.fromEntries(found.headers)).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': 'attachment; filename="answer.parquet"',
    })
    expect(await found.text()).toMatch(/^PAR1.*people.*PAR1$/s)
    const cut = await fetch(at, {
      method: 'POST',
      headers: { ...key, accept: 'application/vnd.apache.parquet', 'content-type': 'application/json' },
      body: JSON.stringify({ sql: 'SELECT * FROM range(20000)', limit: 5_000 }),
    })
    expect(cut.headers.get('x-truncated')).toBe('true')
    expect(await cut.text()).toMatch(/^PAR1.*PAR1$/s)
    expect((await fetch(`${at}?format=parquet&sql=SELECT+1`)).status).toBe(401)
    const hidden = await eve.get(`${path}/versions/v1.0.0/sql?format=parquet&sql=SELECT+secret+FROM+Place`)
    expect(hidden.json.code).toBe('invalid_sql')
  })

  test('integers beyond 2^53, decimals and times are texts', async () => {
    expect(
      await rows(
        eve,
        "SELECT 9007199254740993, 1.50::DECIMAL(4,2), TIMESTAMPTZ '2026-01-01 00:00:00Z', 'nan'::DOUBLE",
      ),
    ).toEqual([['9007199254740993', '1.50', '2026-01-01 00:00:00+00', 'NaN']])
  })

  test('types are tables by their names', async () => {
    expect(await rows(eve, 'SELECT name FROM "place_2"')).toEqual([['small']])
    expect(await rows(eve, 'SELECT "a ""b""" FROM "Two ""words""; --"')).toEqual([[1.5]])
    expect(await rows(eve, 'SELECT count(*) FROM Place, "Two ""words""; --"')).toEqual([[2]])
  })

  test('others see no private field and record', async () => {
    expect(await rows(eve, 'SELECT _id FROM Place ORDER BY 1')).toEqual([['osl'], ['tos']])
    expect((await rows(eve, 'SELECT secret FROM Place')).code).toBe('invalid_sql')
    expect(await rows(ada, 'SELECT secret FROM Place ORDER BY _id')).toEqual([[null], ['fox'], [null]])
    // Every column of every table that the process can reach.
    const tables = await rows(
      eve,
      "SELECT database_name, table_name, column_name FROM duckdb_columns() WHERE database_name LIKE 't%' OR column_name LIKE '%secret%'",
    )
    expect(JSON.stringify(tables)).not.toContain('"secret"')
    expect(JSON.stringify(await rows(eve, 'SELECT * FROM t0.records, Place'))).not.toMatch(/fox|Atlantis/)
  })

  test('needs a credential, unless the operator chose otherwise', async () => {
    expect(await run(stage.anyone, 'SELECT 1')).toMatchObject({ status: 401 })
    for (const [sql, status] of [
      ['public', 200],
      ['off', 501],
    ] as const) {
      const other = await setStage(database, { sql })
      const { path: at } = await other.newCollection()
      await other.push(at, { opening: { schemas: { place: {} } }, puts: [puts[3]!] })
      const { status: got } = await other.anyone.post(`${at}/versions/v1.0.0/sql`, { sql: 'SELECT 1' })
      await other.end()
      expect(got).toBe(status)
    }
  })

  test('cuts long answers', async () => {
    expect((await run(eve, 'SELECT * FROM range(20000)')).json).toMatchObject({ truncated: true })
    expect((await run(eve, "SELECT repeat('x', 500000) FROM range(100)")).json.rows.length).toBeLessThan(34)
  })

  const target = join(tmpdir(), 'ulmus-sql-target')
  test.each([
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM read_blob('/proc/self/environ')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM parquet_schema('/etc/passwd')",
    "FROM query('FROM read_text(''/etc/passwd'')')",
    "SELECT getenv('PATH')",
    "SELECT 1; COPY (SELECT 1) TO '/tmp/ulmus-sql-target'",
    "WITH a AS (SELECT 1) COPY a TO '/tmp/ulmus-sql-target'",
    "COPY (SELECT 1) TO '/tmp/ulmus-sql-target' (use_tmp_file false)",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '/tmp/ulmus-sql-target'",
    "SELECT 1; IMPORT DATABASE '/tmp'",
    "EXPORT DATABASE '/tmp/ulmus-sql-target'",
    "ATTACH '/tmp/ulmus-sql-target' AS x",
    'SET enable_external_access = true',
    'WITH x AS (DELETE FROM t0.records RETURNING *) SELECT * FROM x',
    'DELETE FROM t0.records',
    'INSTALL httpfs',
    "LOAD '/tmp/x.duckdb_extension'",
    "SELECT * FROM read_csv('https://example.org/')",
    'PRAGMA database_list',
    'CALL pragma_version()',
    "VALUES (1); ATTACH 'x'",
    'FROM Place; DROP VIEW Place',
    'SELECT $1',
  ])('%s is refused', async (sql) => {
    writeFileSync(target, 'kept')
    const { status, json } = await run(eve, sql)
    expect([status, json.code]).toEqual([400, 'invalid_sql'])
    expect(readFileSync(target, 'utf8')).toBe('kept')
  })

  test.each([
    'SELECT path FROM duckdb_databases()',
    "SELECT value FROM duckdb_settings() WHERE value LIKE '/%'",
    'SELECT sql FROM duckdb_views()',
    "SELECT current_setting('temp_directory')",
    "SELECT * FROM pragma_storage_info('t0.records')",
    'SELECT * FROM duckdb_logs()',
    'SELECT * FROM duckdb_secrets()',
  ])('%s tells no path of the server', async (sql) => {
    const { text } = await run(eve, sql)
    expect(text).not.toContain(stage.server.dataFolder)
    expect(text).not.toMatch(/\/(work|home|root|tmp|node_modules)\b/)
  })

  test('leaves nothing behind', () => {
    const scratch = join(stage.server.dataFolder, 'tables', '1', 'scratch')
    expect(existsSync(scratch) ? readdirSync(scratch) : []).toEqual([])
  })
})
