/** Costly SQL: it ends within its limits, and the server and the next question do not notice. docs/queries.md#sql */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { whenBuilt } from '../../testing/test-client.ts'

describe.each(anyDatabase)('costly SQL on $name', (database) => {
  let stage: Stage
  let path: string
  const run = (sql: string) => whenBuilt(() => stage.eve.post(`${path}/versions/v1.0.0/sql`, { sql }))

  beforeAll(async () => {
    stage = await setStage(database, { sqlSeconds: 4 })
    path = (await stage.newCollection()).path
    await stage.push(path, {
      opening: { schemas: { Place: {} } },
      puts: [{ id: 'a', type: 'Place', data: {} }],
    })
  })
  afterAll(() => stage.end())

  const endless = 'SELECT count(*) FROM range(1000000000000) t(i) WHERE i % 7 = 8'

  test('a statement ends after its time, with the reason', async () => {
    const { status, json } = await run(endless)
    expect([status, json.code]).toEqual([422, 'query_too_costly'])
    expect(json.error).toContain('4 seconds')
  })

  test.each([
    ['a long text', "SELECT rpad('x', 2000000000, 'y')"],
    ['two long texts', "SELECT length(repeat('x', 1000000000) || repeat('y', 1000000000))"],
    ['a long list', 'SELECT list_sort(range(400000000))'],
    ['many groups', 'SELECT count(*) FROM (SELECT DISTINCT hash(i) FROM range(200000000) t(i))'],
    ['a regular expression', "SELECT regexp_replace(repeat('a', 50000000), '(a+)+b', 'x')"],
    ['a distance of long texts', "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))"],
    ['deep JSON', `SELECT json_extract(repeat('[', 1000000), '$[0]')`],
    ['many signs', `SELECT ${'- '.repeat(20_000)}1`],
    ['many operands', `SELECT ${'1+'.repeat(20_000)}1`],
    [
      'an endless recursion',
      'WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r',
    ],
  ])('%s ends, and the next question is answered', async (_name, sql) => {
    expect([200, 400, 422]).toContain((await run(sql)).status)
    expect((await run('SELECT count(*) FROM Place')).json).toMatchObject({ rows: [[1]] })
    expect((await stage.anyone.get(path)).status).toBe(200)
  })

  test('an account has few statements at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => run(endless)))
    const busy = answers.filter(({ status }) => status === 429)
    expect(busy).toHaveLength(2)
    expect(busy[0]!.headers['retry-after']).toBeDefined()
  })
})
