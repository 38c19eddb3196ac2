/** Costly SQL: it ends within its limits, and the server and the next question do not notice. docs/queries.md#sql */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstGood } from '../../../../../packages/content/src/testing/measured.ts'
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

  /** Time of a statement, a second to end it, and the start of a process on a busy machine. Milliseconds. */
  const endsWithin = 20_000
  /** On a busy machine a statement may end by the clock, as busy, before it had its CPU time (docs/limits.md). */
  const runToEnd = (sql: string) =>
    firstGood(
      async () => {
        const began = performance.now()
        const answer = await run(sql)
        expect(performance.now() - began).toBeLessThan(endsWithin)
        return answer
      },
      ({ status }) => status !== 429,
    )

  test('a statement ends after its time, with the reason', { timeout: 180_000 }, async () => {
    const { status, json } = await runToEnd(endless)
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
    ['many columns', `SELECT ${'1,'.repeat(32_000)}1`],
    ['100,000 columns', 'SELECT COLUMNS(*) FROM (SELECT unnest(struct_pack(a := range(100000))))'],
    ['a wide row', 'SELECT range(10000000), range(10000000), range(10000000)'],
    ['rows of long lists', 'SELECT range(100000) FROM range(100000)'],
    ['a cross join', 'SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c'],
    ['a sorted cross join', 'SELECT * FROM range(100000) a, range(100000) b ORDER BY random()'],
    ['a range without end', 'SELECT sum(range) FROM range(1000000000000000000)'],
    ['a list of it', 'SELECT range(1000000000000000000)'],
    ['a repeated text', "SELECT repeat('x', 4000000000)"],
    ['a repetition of repetitions', "SELECT repeat(repeat(repeat('x', 10000), 10000), 10000)"],
    ['a padded number', "SELECT lpad('x', 2147483647, 'y'), rpad('x', 2147483647, 'y')"],
    ['a long string of bits', "SELECT bitstring('1', 2000000000)"],
    ['a sum of lists', "SELECT list_aggregate(range(300000000), 'string_agg')"],
    ['unnested lists', 'SELECT count(*) FROM (SELECT unnest(range(1000000000)), unnest(range(1000000000)))'],
    [
      'nested lists',
      'SELECT list_transform(range(20000), lambda x: list_transform(range(20000), lambda y: x * y))',
    ],
    ['a joined text', "SELECT length(string_agg(repeat('x', 1000), ',')) FROM range(10000000)"],
    ['a list of all rows', 'SELECT length(list(i)) FROM range(2000000000) t(i)'],
    ['a histogram of all rows', 'SELECT histogram(i) FROM range(200000000) t(i)'],
    [
      'a window over all rows',
      'SELECT max(s) FROM (SELECT sum(i) OVER (ORDER BY i DESC) s FROM range(300000000) t(i))',
    ],
    ['a large number', "SELECT repeat('9', 1000000)::HUGEINT"],
    ['a factorial', 'SELECT factorial(33) FROM range(1000000000)'],
    ['nested JSON', `SELECT ('${'['.repeat(30_000)}${']'.repeat(30_000)}')::JSON`],
    [
      'nested JSON of objects',
      `SELECT json_structure(repeat('{"a":', 200000) || '1' || repeat('}', 200000))`,
    ],
    ['a JSON tree', "SELECT count(*) FROM json_tree(repeat('[', 100000) || repeat(']', 100000))"],
    ['a merge of nested JSON', `SELECT json_merge_patch(repeat('{"a":', 100000), '{}')`],
    ['many conditions', `SELECT 1 WHERE ${'NOT '.repeat(15_000)}true`],
    [
      'many joins',
      `SELECT count(*) FROM ${Array.from({ length: 400 }, (_, n) => `range(2) t${n}`).join(', ')}`,
    ],
    ['many unions', `SELECT 1 ${'UNION SELECT 1 '.repeat(4_000)}`],
    [
      'views of views',
      `WITH ${Array.from({ length: 40 }, (_, n) => `a${n + 1} AS (FROM a${n}, a${n} b)`)
        .join(', ')
        .replace('(FROM a0, a0 b)', '(SELECT 1)')} SELECT count(*) FROM a40`,
    ],
    [
      'a regular expression of many groups',
      "SELECT regexp_matches(repeat('a', 100000), '(((a{0,100}){0,100}){0,100}){0,100}b')",
    ],
    ['sleep', 'SELECT sleep_ms(60000)'],
    ['sleep of PostgreSQL', 'SELECT pg_sleep(60)'],
    ['random numbers', 'SELECT count(DISTINCT random()) FROM range(1000000000)'],
    [
      'an endless recursion',
      'WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r',
    ],
  ])('%s ends, and the next question is answered', { timeout: 180_000 }, async (_name, sql) => {
    expect([200, 400, 422]).toContain((await runToEnd(sql)).status)
    expect((await runToEnd('SELECT count(*) FROM Place')).json).toMatchObject({ rows: [[1]] })
    expect((await stage.anyone.get(path)).status).toBe(200)
  })

  test('an account has few statements at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => run(`${endless} -- ${n}`)))
    const busy = answers.filter(({ status }) => status === 429)
    expect(busy).toHaveLength(2)
    expect(busy[0]!.headers['retry-after']).toBeDefined()
  })
})
