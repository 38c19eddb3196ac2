/** Questions about tables against a complete server: by the client, and by `get`, `sql` and `stats`. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Client, createClient } from '@ulmus/client'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'

const schemas = {
  City: {
    properties: {
      name: { type: 'string' },
      country: { type: 'string' },
      population: { type: 'integer' },
      founded: { type: 'string', format: 'date' },
      note: { type: 'string' },
    },
    required: ['name', 'country', 'population'],
  },
  Country: { properties: { name: { type: 'string' } } },
}
/** More than a page. */
const count = 1_200
const cities = Array.from({ length: count }, (_, n) => ({
  id: `c${n}`,
  type: 'City',
  data: { name: `City ${n}`, country: n % 4 === 0 ? 'NOR' : 'SWE', population: n * 1_000 },
}))
const oslo = {
  id: 'oslo',
  type: 'City',
  data: { name: 'Ósló', country: 'NOR', population: 2_000_000, founded: '1048-01-01', note: 'a "b"\nc' },
}
const records = [...cities, oslo, { id: 'NOR', type: 'Country', data: { name: 'Norway' } }]

describe.each(anyDatabase)('tables and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  let client: Client
  let ada: Person
  let eve: Person

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    key = await server.keyFor((await server.signIn('ada')).cookie, 'write')
    client = createClient({ baseUrl: server.url, apiKey: key })
    const create = { public: true }
    await client.push('ada/cities', { create, baseVersion: null, schemas, records })
    const { Country } = schemas
    const countries = records.slice(-1)
    await client.push('ada/one', { create, baseVersion: null, schemas: { Country }, records: countries })
    ada = openPerson(server.url, key)
    eve = openPerson(server.url)
  })
  afterAll(async () => {
    ada.dispose()
    eve.dispose()
    await server.close()
    await dispose()
  })

  test('the client reads pages, all rows, facets, statistics and SQL', async () => {
    const { tables } = client
    const listed = await tables.list('ada/cities')
    expect(listed.map(({ type, records: rows }) => [type, rows])).toEqual([
      ['City', count + 1],
      ['Country', 1],
    ])
    const filter = ['country eq NOR', 'population ge 1190000']
    const page = await tables.rows<{ name: string }>('ada/cities', 'v1.0.0', 'City', {
      ...{ filter, sort: '-population', columns: ['name', 'population'], limit: 2 },
    })
    expect(page).toMatchObject({ total: 3, next: 2 })
    expect(page.rows).toEqual([
      { id: 'oslo', data: { name: 'Ósló', population: 2_000_000 } },
      { id: 'c1196', data: { name: 'City 1196', population: 1_196_000 } },
    ])
    const all = await Array.fromAsync(tables.rowsAll('ada/cities', 'latest', 'City', { sort: 'population' }))
    expect(all.map(({ id }) => id)).toEqual([...cities, oslo].map(({ id }) => id))
    const { facets } = await tables.facets('ada/cities', 'latest', 'City', 'country', { q: 'city' })
    expect(facets[0]!.values).toEqual([
      { value: 'SWE', count: 900 },
      { value: 'NOR', count: 300 },
    ])
    const { columns } = await tables.statistics('ada/cities', 'latest', 'City')
    expect(columns.find(({ field }) => field === 'population')).toMatchObject({
      count: 1_201,
      max: 2_000_000,
    })
    const { rows } = await tables.sql('ada/cities', 'latest', 'SELECT count(*) AS n FROM City')
    expect(rows).toEqual([[1_201]])
    const lines = await tables.sql('ada/cities', 'latest', 'SELECT 1 AS a', { format: 'ndjson' })
    expect(await lines.text()).toBe('{"a":1}\n')
    const wrong = tables.rows('ada/cities', 'latest', 'City', { filter: 'popluation gt 1' })
    await expect(wrong).rejects.toMatchObject({ status: 400, code: 'unknown_field' })
  })

  const osloLine = `${JSON.stringify({ id: 'oslo', data: { name: 'Ósló', population: 2_000_000 } })}\n`
  test.each<[args: string[], out: RegExp | string]>([
    [['get', 'ada/cities#City', '--search', 'oslo', '--columns', 'name,population'], osloLine],
    [
      ['get', 'ada/cities#City', '--sort', '-population', '--limit', '1', '--columns', 'name,population'],
      osloLine,
    ],
    [
      [
        ...['get', 'ada/cities#City', '--where', 'country eq NOR', '--where', 'population lt 5000'],
        ...['--columns', 'population'],
      ],
      '{"id":"c0","data":{"population":0}}\n{"id":"c4","data":{"population":4000}}\n',
    ],
    [
      [
        ...['get', 'ada/cities#City', '--csv', '--sort=-population', '--columns', 'note,name'],
        ...['--limit', '2'],
      ],
      'note,name\n"a ""b""\nc",Ósló\n,City 1199\n',
    ],
    [['get', 'ada/cities#City', '--where', 'name eq x'], ''],
    [['get', 'ada/cities#City', '--where', 'name eq x', '--csv', '--columns', 'name'], 'name\n'],
    [['get', 'ada/one', '--limit', '1'], '{"id":"NOR","data":{"name":"Norway"}}\n'],
    [['get', 'ada/one'], /^\{"id":"NOR","type":"Country",.*"hash":"[0-9a-f]{64}"\}\n$/],
    [['get', 'ada/one', '--csv'], '_id,name\nNOR,Norway\n'],
    [['get', 'ada/one', '--parquet'], /^PAR1/],
    [
      ['sql', 'ada/cities', "SELECT name, note, 1 AS n FROM City WHERE name = 'Ósló'"],
      'name,note,n\nÓsló,"a ""b""\nc",1\n',
    ],
    [['sql', 'ada/one@v1.0.0', 'FROM Country', '--ndjson'], '{"_id":"NOR","name":"Norway"}\n'],
    [['sql', 'ada/one', 'FROM Country', '--json'], /"type": "VARCHAR"/],
    [['stats', 'ada/cities#City'], /^population\tinteger\t100 %\t1201\t0\t2000000\t600666\t$/m],
    [['stats', 'ada/cities#City'], /^founded\tdate\t0\.1 %\t1\t1048-01-01\t1048-01-01\t1048-01-01\t$/m],
    [['stats', 'ada/cities#City'], /^country\ttext\t100 %\t2\tNOR\tSWE\t\tSWE \(900\)$/m],
    [['stats', 'ada/one', '--json'], /"quartiles"|"lengths"/],
  ])('ulmus %j', async (args, out) => {
    const ended = await ada.ulmus('.', ...args)
    expect(ended, ended.said).toMatchObject({ code: 0, said: '' })
    if (typeof out === 'string') expect(ended.out).toBe(out)
    else expect(ended.out).toMatch(out)
  })

  test('all pages are written', async () => {
    const { out } = await ada.ulmus('.', 'get', 'ada/cities#City', '--sort', 'population')
    const ids = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids).toEqual([...cities, oslo].map(({ id }) => id))
    const { out: some } = await ada.ulmus('.', 'get', 'ada/cities#City', '--limit', '1100')
    expect(some.trimEnd().split('\n')).toHaveLength(1_100)
  })

  test('Parquet is saved as a file', async () => {
    const saved = await ada.ulmus('.', 'get', 'ada/cities#City', '--parquet', '-o', 'City.parquet')
    expect(saved).toMatchObject({ code: 0, out: `${join(ada.home, 'City.parquet')}\n` })
    expect(saved.said).toContain('ada/cities@v1.0.0#City')
    const bytes = readFileSync(join(ada.home, 'City.parquet'))
    expect([bytes.subarray(0, 4), bytes.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1'])
  })

  test('an SQL answer is saved as Parquet, and a cut one ends with its exit code', async () => {
    const sql = (statement: string, ...args: string[]) =>
      ada.ulmus('.', 'sql', 'ada/cities', statement, '--parquet', ...args)
    const saved = await sql("SELECT _id AS id, name FROM City WHERE name = 'Ósló'", '-o', 'found.parquet')
    expect(saved).toMatchObject({ code: 0, out: `${join(ada.home, 'found.parquet')}\n` })
    expect(await ada.ulmus('back', 'init', 'ada/back')).toMatchObject({ code: 0 })
    const imported = await ada.ulmus(
      'back',
      'import',
      '../found.parquet',
      '--yes',
      '--type',
      'Found',
      '--id',
      'id',
    )
    expect(imported.code, imported.said).toBe(0)
    const [line] = readFileSync(join(ada.home, 'back/records/Found.ndjson'), 'utf8').split('\n')
    expect(JSON.parse(line!)).toMatchObject({ id: oslo.id, data: { name: 'Ósló' } })
    expect((await sql('SELECT 1 AS a')).out).toMatch(/^PAR1/)
    expect(await sql('SELECT * FROM range(10001)')).toMatchObject({
      code: 7,
      said: expect.stringContaining('--all'),
    })
    for (const [flags, said] of [
      [['--csv'], /--csv, --ndjson, --parquet and --json exclude each other/],
      [['--limit', '1'], /Write LIMIT in the statement/],
      [['--all'], /--all and --parquet exclude each other/],
    ] as const)
      expect(await sql('SELECT 1', ...flags)).toMatchObject({ code: 2, said: expect.stringMatching(said) })
    expect((await ada.ulmus('.', 'sql', 'ada/cities', 'SELECT 1', '-o', 'x')).said).toContain(
      '--output names',
    )
  })

  test('a working folder names the collection, and its version is the latest', async () => {
    await ada.ulmus('.', 'clone', 'ada/one', 'one')
    for (const args of [
      ['get', '--where', 'name eq Norway'],
      ['get', '#Country', '--limit', '1'],
    ])
      expect((await ada.ulmus('one', ...args)).out).toBe('{"id":"NOR","data":{"name":"Norway"}}\n')
    expect((await ada.ulmus('one', 'sql', 'SELECT name FROM Country')).out).toBe('name\nNorway\n')
    expect((await ada.ulmus('one', 'stats')).out).toMatch(/^name\ttext\t100 %\t1\tNorway\tNorway\t\t$/m)
  })

  test('an answer that the registry cut ends with an exit code of its own, unless a limit asked for it', async () => {
    const sql = (...args: string[]) =>
      ada.ulmus('.', 'sql', 'ada/cities', 'SELECT * FROM range(10001)', ...args)
    for (const form of ['--csv', '--ndjson', '--json']) {
      const cut = await sql(form)
      expect([cut.code, cut.said], form).toEqual([7, expect.stringContaining('--all')])
      expect((await sql(form, '--limit', '3')).code, form).toBe(0)
    }
  })

  test('--all writes every row once, of statements whose pages are parts of one answer', {
    timeout: 180_000,
  }, async () => {
    const sql = (statement: string, ...args: string[]) =>
      ada.ulmus('.', 'sql', 'ada/cities', statement, '--all', ...args)
    const numbers = Array.from({ length: 25_000 }, (_, n) => n)
    const csv = await sql('SELECT range AS "a""\nb" FROM range(25000) -- all')
    expect([csv.code, csv.out]).toEqual([0, `"a""\nb"\n${numbers.join('\n')}\n`])
    const quoted = `SELECT range // 2 AS n, '"' || chr(10) AS s FROM range(20001)`
    const lines = (await sql(quoted, '--ndjson')).out.trimEnd().split('\n')
    expect(lines).toEqual(
      Array.from({ length: 20_001 }, (_, n) => JSON.stringify({ n: Math.floor(n / 2), s: '"\n' })),
    )
    const long = await sql("SELECT range AS n, repeat('x', 1000000) AS s FROM range(40)", '--ndjson')
    expect(long.out.split('\n').map((line) => line.length > 0 && JSON.parse(line).n)).toEqual([
      ...numbers.slice(0, 40),
      false,
    ])
    expect((await sql('FROM City LIMIT 0; ')).out).toMatch(/^_id,name,country,.*\n$/)
    expect(await sql("SELECT repeat('x', 17000000) AS s")).toMatchObject({ code: 7, out: 's\n' })
    for (const [statement, said] of [
      ['SELECT name FROM City ORDER BY population', /Remove ORDER BY/],
      ['SELECT random() AS r FROM City', /`random` may differ/],
      ['FROM City USING SAMPLE 5', /`USING SAMPLE` may differ/],
    ] as const)
      expect(await sql(statement)).toMatchObject({ code: 2, said: expect.stringMatching(said) })
    expect((await sql("SELECT 'random() ORDER BY' AS t -- now()")).code).toBe(0)
    expect((await sql('SELECT 1', '--limit', '1')).said).toMatch(/--all and --limit exclude each other/)
  })

  test('a limit of NDJSON with quotes is the limit of the user', async () => {
    const { code, said } = await ada.ulmus(
      '.',
      'sql',
      'ada/cities',
      `SELECT '"' AS q FROM range(9)`,
      '--ndjson',
      '--limit',
      '3',
    )
    expect([code, said]).toEqual([0, 'There are more rows.\n'])
  })

  test('a statement is read from standard input, and a truncated answer is reported', async () => {
    const start = join(import.meta.dirname, '../../start.js')
    const child = spawn(process.execPath, [start, 'sql', 'ada/cities', '-', '--limit', '1'], {
      env: { ...process.env, HOME: ada.home, ULMUS_HOST: server.url, ULMUS_TOKEN: key },
    })
    child.stdin.end('SELECT population FROM City ORDER BY 1 DESC;\n')
    const shown = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(shown).toEqual(['population\n2000000\n', 'There are more rows.\n'])
  })

  test.each<[args: string[], code: number, said: RegExp]>([
    [['get', 'ada/cities', '--limit', '1'], 2, /ulmus get 'ada\/cities#City' --limit 1\n.*#Country/],
    [
      ['get', 'ada/cities', '--where', "name eq 'a", '--sort=-name', '--csv'],
      2,
      /ulmus get 'ada\/cities#City' --where 'name eq '\\''a' --sort -name --csv/,
    ],
    [['get', 'ada/cities#City/oslo', '--limit', '1'], 2, /is one record/],
    [['get', 'ada/cities#City', '--parquet', '--search', 'x'], 2, /writes the whole table/],
    [['get', 'ada/cities#City', '--parquet', '--csv'], 2, /--csv and --parquet exclude/],
    [['get', 'ada/cities#City', '--output', 'x'], 2, /--output names the file of --parquet/],
    [['get', 'ada/cities', '--parquet'], 2, /ulmus get 'ada\/cities#City' --parquet/],
    [['get', 'ada/cities#City', '--sort', '--csv'], 2, /--sort/],
    [['get', 'ada/cities#City', '--where', 'popluation gt 1'], 1, /Did you mean "population"/],
    [['get', 'ada/cities#City', '--where', 'population gt many'], 1, /"many" is not an integer/],
    [['get', 'ada/cities#Town', '--limit', '1'], 1, /no type `Town`/],
    [['sql', 'ada/cities'], 2, /No statement given/],
    [['sql', 'ada/cities', ' '], 2, /statement is empty/],
    [['sql', 'SELECT 1'], 2, /No collection given/],
    [['sql', 'ada/cities#City', 'SELECT 1'], 2, /all types of a version/],
    [['sql', 'ada/cities', 'SELECT 1', '--csv', '--json'], 2, /exclude each other/],
    [['sql', 'ada/cities', 'DROP TABLE City'], 1, /must begin with SELECT/],
    [
      ['sql', 'ada/cities', 'SELECT nam FROM City'],
      1,
      /^ulmus: There is no column "nam"\. Did you mean "name"\?\n\nLINE 1: .*\n +\^/,
    ],
    [['stats', 'ada/cities'], 2, /ulmus stats 'ada\/cities#City'/],
    [['stats', 'ada/cities#Town'], 1, /no type `Town`/],
  ])('ulmus %j ends with %i', async (args, code, said) => {
    const ended = await ada.ulmus('.', ...args)
    expect(ended, ended.said).toMatchObject({ code, out: '' })
    expect(ended.said).toMatch(said)
  })

  test('without signing in, rows are readable and SQL is not', async () => {
    expect((await eve.ulmus('.', 'get', 'ada/one', '--limit', '1')).code).toBe(0)
    const refused = await eve.ulmus('.', 'sql', 'ada/one', 'SELECT 1')
    expect(refused).toMatchObject({ code: 4, said: expect.stringContaining('ulmus login') })
  })
})
