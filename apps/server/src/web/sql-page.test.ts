/** SQL page: without JavaScript, in the caller's view, bounded. */
import { RegistryError } from '@ulmus/registry'
import { anyDatabase } from '@ulmus/storage/testing'
import type { RefusalCode } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { testClient } from '../testing/test-client.ts'

const evil = '"><script>alert(1)</script>\u202eevil'

const schemas = {
  City: {
    properties: {
      name: { type: 'string' },
      country: { type: 'string', 'x-ref-type': 'Country' },
      people: { type: 'integer' },
      budget: { type: 'integer', private: true },
      extra: {},
      [evil]: { type: 'string' },
    },
  },
  city: { properties: { name: { type: 'string' } } },
  Country: {
    properties: {
      name: {
        type: 'object',
        properties: { common: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
  Hushed: { private: true, properties: { n: { type: 'integer' } } },
}
const cities = [
  ['oslo', 'Oslo', 'NO', 700_000],
  ['bergen', 'Bergen', 'NO', 290_000],
  ['malmo', 'Malmö', 'SE', 360_000],
  ['lund', 'Lund', 'SE', 90_000],
] as const
const puts = [
  ...cities.map(([id, name, country, people]) => ({
    id,
    type: 'City',
    data: { name, country, people, budget: 1, extra: { a: [evil] }, [evil]: `${evil} ${id}` },
  })),
  { id: 'hidden', type: 'City', data: { name: 'Hushby', people: 1 }, private: true },
  { id: 'small', type: 'city', data: { name: 'small' } },
  { id: 'NO', type: 'Country', data: { name: { common: 'Norway' } } },
  { id: 'SE', type: 'Country', data: { name: { common: 'Sweden' } } },
  { id: 'h', type: 'Hushed', data: { n: 1 } },
]

describe.each(anyDatabase)('the SQL page, on $name', (database) => {
  let stage: Stage
  let ada: string
  let eve: string
  /** Path of the page. */
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null, sqlSeconds: 60 })
    ada = (await stage.server.signIn('ada')).cookie
    eve = (await stage.server.signIn('eve')).cookie
    const { path } = await stage.newCollection()
    await stage.push(path, { opening: { schemas }, puts })
    at = `${path.replace('/collections', '')}/sql`
    // Build the tables first: on a slow machine an answer may be that they are being built.
    for (const [client, types] of [
      [stage.ada, ['City', 'city', 'Country', 'Hushed']],
      [stage.anyone, ['City', 'city', 'Country']],
    ] as const)
      for (const type of types)
        while ((await client.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const client = (as?: string) =>
    testClient(stage.server.url, as === undefined ? undefined : { cookie: as }, '')
  const page = async (path: string, as?: string) => {
    const { status, text: html, headers } = await client(as).get(path)
    return { status, html, headers }
  }
  const asking = (sql: string, more: Record<string, string> = {}) =>
    `${at}?${new URLSearchParams({ sql, ...more })}`
  const ask = (sql: string, as = eve, more: Record<string, string> = {}) => page(asking(sql, more), as)
  const textOf = (html: string) => decoded(html.replace(/<[^>]*>/g, ''))
  const statementIn = (html: string) => decoded(/<textarea[^>]*>([^<]*)/.exec(html)![1]!)
  /** Cells of the result by row. */
  const rowsIn = (html: string) => {
    const body = /<table class="data sql-rows">.*<tbody>(.*)<\/tbody>/s.exec(html)?.[1] ?? ''
    return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => textOf(cell!)),
    )
  }
  const links = (html: string) =>
    [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>/g)].map(([tag, href]) => ({ tag, href: decoded(href!) }))

  test('a statement in the URL is answered, and can be sent by a plain form', async () => {
    const sql = 'SELECT name, people, NULL AS none\r\nFROM "City" ORDER BY people DESC'
    const { status, html } = await ask(sql)
    expect([status, rowsIn(html)]).toEqual([
      200,
      [
        ['Oslo', '700,000', 'null'],
        ['Malmö', '360,000', 'null'],
        ['Bergen', '290,000', 'null'],
        ['Lund', '90,000', 'null'],
      ],
    ])
    expect(html).toContain('<strong>4 rows</strong>')
    expect(html).toMatch(/<th scope="col" title="BIGINT" class="right">/)
    expect(html).toContain(`<form class="sql-form" action="${at}"`)
    expect(statementIn(html)).toBe(sql)
    expect((await ask('SELECT 1 AS a WHERE false')).html).toContain('The answer has no rows.')
  })

  test('the same answer is linked as CSV, Parquet, NDJSON and JSON, and by a URL that names the version', async () => {
    const sql = 'SELECT name FROM "City" ORDER BY name LIMIT 1'
    const { html } = await ask(sql)
    const found = links(html).filter(({ href }) => href.includes('sql='))
    expect(found.filter(({ tag }) => !tag.includes('rel="nofollow"'))).toEqual([])
    const bodies = []
    for (const format of ['csv', 'ndjson', 'json'])
      bodies.push(
        (await client(eve).get(found.find(({ href }) => href.endsWith(`format=${format}`))!.href)).text,
      )
    const parquet = found.find(({ href }) => href.endsWith('format=parquet'))!.href
    expect((await client(eve).get(parquet)).text).toMatch(/^PAR1.*PAR1$/s)
    expect(bodies).toEqual(['name\nBergen\n', '{"name":"Bergen"}\n', expect.stringContaining('[["Bergen"]]')])
    const permanent = found.find(({ href }) => href.includes('/v/v1.0.0/sql'))!
    expect(rowsIn((await page(permanent.href, eve)).html)).toEqual([['Bergen']])
    expect(decoded(html)).toContain(`--data-urlencode 'sql=${sql}'`)
  })

  test('crawlers get no statement to run, and one address', async () => {
    const { html } = await page(at)
    expect(html).not.toContain('content="noindex"')
    expect(links(html).filter(({ tag, href }) => href.includes('sql=') && !tag.includes('nofollow'))).toEqual(
      [],
    )
    const asked = await ask('SELECT 1')
    expect(asked.html).toContain('<meta name="robots" content="noindex"/>')
    expect(asked.html).toMatch(new RegExp(`<link rel="canonical" href="[^"]*${at}"/>`))
    expect((await page('/robots.txt')).html).toContain('Disallow: /*/sql?')
  })

  test('without a question, three examples run: a count, the largest, a join', async () => {
    const { html } = await page(at, eve)
    const examples = links(html).filter(({ href }) => href.startsWith(`${at}?sql=`))
    expect(examples).toHaveLength(3)
    const answers = []
    for (const { href } of examples) answers.push(rowsIn((await page(href, eve)).html))
    expect(answers).toEqual([
      expect.arrayContaining([
        ['NO', '2'],
        ['SE', '2'],
      ]),
      [
        ['Oslo', '700,000'],
        ['Malmö', '360,000'],
        ['Bergen', '290,000'],
        ['Lund', '90,000'],
      ],
      expect.arrayContaining([
        ['Norway', '2'],
        ['Sweden', '2'],
      ]),
    ])
  })

  test('tables are named as statements name them, in the view of the visitor', async () => {
    const [all, asPublic, stranger] = await Promise.all([
      page(at, ada),
      page(`${at}?view=public`, ada),
      page(at),
    ])
    const schemaIn = (html: string) => textOf(/<aside class="sql-schema".*<\/aside>/s.exec(html)![0])
    expect(schemaIn(all.html)).toMatch(
      /City 5 .*budget BIGINT Private.*people BIGINT.*Hushed 1 Private.*city_2 1 /,
    )
    for (const { html } of [asPublic, stranger]) {
      expect(schemaIn(html)).toMatch(/City 4 .*people BIGINT.*city_2 1 /)
      expect(schemaIn(html)).not.toContain('budget')
    }
    expect(stranger.html).not.toMatch(/budget|hush/i)
    expect(rowsIn((await ask('FROM city_2')).html)).toEqual([['small', 'small']])
    const count = 'SELECT count(*) FROM "City"'
    expect(rowsIn((await ask(count, ada)).html)).toEqual([['5']])
    const { html } = await ask(count, ada, { view: 'public' })
    expect(rowsIn(html)).toEqual([['4']])
    expect(html).toContain('<input type="hidden" name="view" value="public"/>')
    const csv = links(html).find(({ href }) => href.includes('format=csv'))!
    expect((await client(ada).get(csv.href)).text).toBe('count_star()\n4\n')
    for (const [as, view] of [
      [eve, {}],
      [ada, { view: 'public' }],
    ] as const) {
      expect((await ask('SELECT budget FROM "City"', as, view)).status).toBe(400)
      expect((await ask('FROM "Hushed"', as, view)).status).toBe(400)
    }
  })

  test('an answer has the chart that its columns have a place in, or the reason why there is none', async () => {
    const chart = async (sql: string) => {
      const { html } = await ask(sql, ada, { view: 'chart' })
      const [svg] = /<figure class="chart">.*?<\/figure>/s.exec(html) ?? []
      expect(svg ?? '').not.toMatch(/style=|NaN|undefined/)
      return decoded(/aria-label="([^"]*)"/.exec(svg ?? '')?.[1] ?? /No chart: [^<]*/.exec(html)?.[0] ?? '')
    }
    expect(await chart('SELECT name, people FROM "City" ORDER BY people DESC LIMIT 2')).toBe(
      'Bars of people by name: Oslo 700,000; Malmö 360,000',
    )
    const days = (n: number) =>
      `SELECT DATE '2026-01-01' + i::INTEGER AS day, i - 3.5 AS level FROM range(${n}) t(i)`
    expect(await chart(days(3))).toMatch(/^Line of level by day: 2026-01-01[^;]* -3.5; 2026-01-02/)
    expect(await chart(days(300))).toMatch(/^Line .*; …$/)
    expect(await chart("VALUES ('a', -1.5), ('b', NULL), (NULL, 'nan'::DOUBLE), ('c', 0)")).toContain(
      'a -1.5; b null; – null; c 0',
    )
    expect(await chart('SELECT people, people * 2 AS twice FROM "City"')).toMatch(
      /^Points of twice by people/,
    )
    expect(await chart('SELECT i FROM range(50) t(i)')).toMatch(/^Histogram of i/)
    for (const [sql, reason] of [
      [days(1), 'No chart: it needs two rows.'],
      [days(1_001), 'No chart: it needs all rows.'],
      ['SELECT name, name FROM "City"', 'No chart: it needs a column with two numbers.'],
      ["VALUES (TIMESTAMP 'infinity', 1), (NULL, 2)", 'No chart: a line needs two rows'],
      ["VALUES ('a', 1), ('a', 2)", 'No chart: several rows have the same col0.'],
    ] as const)
      expect(await chart(sql)).toMatch(new RegExp(`^${reason}`))
  })

  test('an answer is a table, a chart or a map, as its address says', async () => {
    const places =
      "SELECT 'Town ' || i AS name, 58 + i AS lat, 6 + i AS lon, 40 AS end_lat, -3 AS end_lon FROM range(3) t(i)"
    const drawn = async (sql: string, query: Record<string, string>) => {
      const { html } = await ask(sql, ada, { view: 'public', ...query })
      const [, current = ''] = /aria-current="true">(Table|Chart|Map)</.exec(html) ?? []
      const dots = [...html.matchAll(/<circle cx="[\d.]+" cy="[\d.]+"><title>(.*?)<\/title>/g)].map(
        ([, title]) => title,
      )
      return { html, current, dots }
    }
    const usual = await drawn(places, {})
    expect([usual.current, usual.dots]).toEqual(['Table', []])
    expect(usual.html).not.toContain('<figure')
    const links = [...usual.html.matchAll(/class="choice" href="([^"]*)"/g)].map(([, href]) => decoded(href!))
    expect(links.map((href) => new URL(href, stage.server.url).searchParams.getAll('view'))).toEqual([
      ['public'],
      ['chart', 'public'],
      ['map', 'public'],
    ])
    const { text } = await client(ada).get(links[2]!)
    expect([...text.matchAll(/<title>(Town \d)<\/title>/g)].map(([, title]) => title)).toEqual([
      'Town 0',
      'Town 1',
      'Town 2',
    ])
    expect(text).toMatch(/<option value="lat,lon"( selected)?>.*<option value="end_lat,end_lon">/s)
    expect(text).toContain('<input type="hidden" name="view" value="map"/>')
    expect((await drawn(`${places} LIMIT 0`, {})).html).not.toContain('class="choice" href')
    for (const [sql, reason] of [
      ['SELECT 1 AS lat, 2 AS number', 'No map: no column has coordinates.'],
      ['SELECT 91 AS lat, 200 AS lon', 'No map: the coordinates of 1 row are nowhere on the globe.'],
      ['SELECT i % 90 AS lat, 1 AS lon FROM range(2_000) t(i)', 'No map: it needs all rows.'],
    ] as const) {
      const { html } = await ask(sql, ada, { view: 'map' })
      expect(decoded(html)).toContain(reason)
    }
  })

  test('the chart measures what orders the rows, and a form chooses other columns', async () => {
    const sql =
      'SELECT country, count(*) AS cities, sum(people) AS people, \'x\' AS kind FROM "City" GROUP BY country ORDER BY people DESC, country'
    const drawn = async (query: Record<string, string>) => {
      const { html } = await ask(sql, ada, { view: 'chart', ...query })
      const [form = ''] = /<form class="form inline chart-form".*?<\/form>/s.exec(html) ?? []
      const chosen = ['x', 'y', 'by'].map(
        (name) =>
          new RegExp(`name="${name}">(?:(?!</select>).)*?value="([^"]*)" selected`, 's').exec(form)?.[1] ??
          '',
      )
      const words = decoded(/<figure.*?aria-label="([^"]*)"/s.exec(html)?.[1] ?? '')
      return { html, form, chosen, words }
    }
    const usual = await drawn({})
    expect(usual.chosen).toEqual(['country', 'people', ''])
    expect(usual.words).toMatch(/^Bars of people by country: /)
    expect(usual.form).toContain('<input type="hidden" name="view" value="chart"/>')
    expect(decoded(/name="sql" value="([^"]*)"/.exec(usual.form)?.[1] ?? '')).toBe(sql)
    const cities = await drawn({ y: 'cities', by: 'kind' })
    expect(cities.chosen).toEqual(['country', 'cities', 'kind'])
    expect(cities.words).toMatch(/^Bars of cities by country and kind: x, /)
    expect(decoded((await drawn({ y: 'absent' })).html)).toContain(
      'No chart: the answer has no column “absent”. Choose another one.',
    )
    expect(decoded((await drawn({ y: 'country' })).html)).toContain('No chart: its value needs a column')
  })

  test('an answer is cited by its version, with an address that stays', async () => {
    const sql = 'SELECT name FROM "City" ORDER BY people DESC LIMIT 2'
    const { html } = await ask(sql, ada, { view: 'public' })
    expect(html).toMatch(/href="[^"]*cite=1[^"]*"[^>]*>Cite</)
    const cited = decoded((await ask(sql, ada, { view: 'public', cite: '1' })).html)
    expect(cited).toContain('(v1.0.0) [Data set], 2 rows of an SQL query, accessed ')
    expect(cited).toContain(`/v/v1.0.0/sql?${new URLSearchParams({ sql })}. Digest public:`)
  })

  test('a large, wide or hostile answer is cut: at most 1,000 rows and 500 kB', async () => {
    const many = await ask('SELECT i FROM range(20000) t(i)')
    expect([rowsIn(many.html).length, many.html.includes('<strong>The first 1,000 rows</strong>')]).toEqual([
      1_000,
      true,
    ])
    expect(many.html).toContain('There are more rows than the page shows.')
    const quoted = evil.replaceAll("'", "''")
    const texts = `repeat('<"&>é', 100)`
    for (const sql of [
      `SELECT * FROM (SELECT ${Array.from({ length: 60 }, (_, n) => `${texts} AS "c${n}"`)}), range(5000)`,
      `SELECT 'http://x/' || repeat('&''', 5000) FROM range(1000)`,
      `SELECT '${quoted}' AS "${evil.replaceAll('"', '""')}", {'a': [${texts}, '${quoted}']} FROM range(1000)`,
      `SELECT [[[[[[[[[[[[range(20000)]]]]]]]]]]]] FROM range(5)`,
      `SELECT (repeat('[', 2000) || repeat(']', 2000))::JSON FROM range(100)`,
      `SELECT json_object('a', range(300)) FROM range(1000)`,
      `SELECT repeat('x', 2000000)`,
      `SELECT * FROM (SELECT ${Array.from({ length: 60 }, (_, n) => `'#1f77b4' AS "c${n}"`)}), range(5000)`,
    ]) {
      const { status, html } = await ask(sql)
      expect([sql, status, Buffer.byteLength(html) < 500_000]).toEqual([sql, 200, true])
      expect([sql, /<script(?! type="module" src="\/assets)|[<\s]on\w+=/.exec(html)?.[0]]).toEqual([
        sql,
        undefined,
      ])
      expect([sql, html.includes('The answer has no rows.')]).toEqual([sql, false])
    }
  })

  test('ids are whole where long texts leave room for them', async () => {
    const uuid = 'CAST(md5(CAST(i AS VARCHAR)) AS UUID)::VARCHAR'
    const { html } = await ask(
      `SELECT ${uuid} AS a, ${uuid} AS b, repeat('x', 100) AS c FROM range(1000) t(i)`,
    )
    expect(rowsIn(html)).toHaveLength(1_000)
    expect(html.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)).toHaveLength(2_000)
  })

  test('names to complete are those that the visitor may read, and few', async () => {
    const listed = (html: string) =>
      [...html.matchAll(/<datalist data-table="([^"]*)">(.*?)<\/datalist>/gs)].map(([, table, options]) => [
        table,
        [...options!.matchAll(/value="([^"]*)"/g)].map(([, name]) => decoded(name!)),
      ])
    const [city, , hushed] = listed((await client(ada).get(at)).text)
    expect([city![1], hushed]).toEqual([expect.arrayContaining(['_id', 'budget']), ['Hushed', ['_id', 'n']]])
    const shown = listed((await client(ada).get(`${at}?view=public`)).text)
    expect(shown.map(([table]) => table)).toEqual(['City', 'Country', 'city_2'])
    expect(shown[0]![1]).toEqual(expect.arrayContaining(['_id', 'name', 'people']))
    expect(JSON.stringify(shown)).not.toContain('budget')
  })

  test('nested values are JSON, and texts of markup do nothing', async () => {
    const { html } = await ask('SELECT extra, [1, 2] AS list FROM "City" LIMIT 1')
    expect(html).not.toContain('<script>')
    expect(rowsIn(html)[0]![0]).toContain('\\u202eevil')
    expect(rowsIn(html)[0]![1]).toBe('[1,2]')
    const sent = await ask(`SELECT '${evil}' AS x`)
    expect([sent.status, sent.html.includes('<script>')]).toEqual([200, false])
    const failed = await ask(`SELECT ${evil}`)
    expect([failed.status, failed.html.includes('<script>')]).toEqual([400, false])
  })

  test('a wrong statement is refused above the form, which keeps it', async () => {
    for (const [sql, reason] of [
      ['SELECT nme FROM "City"', /no column "nme". Did you mean "name"\?/],
      ['DELETE FROM "City"', /must begin with SELECT/],
      ['SELECT 1; SELECT 2', /one statement/],
      [`SELECT '${'x'.repeat(8_000)}'`, /too long for the address of a page/],
    ] as const) {
      const { status, html } = await ask(sql)
      expect([sql, status, statementIn(html), reason.test(textOf(html))]).toEqual([sql, 400, sql, true])
      expect(html).toMatch(/id="sql-refusal" role="alert".*aria-describedby="sql-refusal"/s)
    }
  })

  test('a visitor without a session is asked to sign in, and comes back to the statement', async () => {
    const sql = 'SELECT 1 AS one'
    const { status, html, headers } = await page(asking(sql))
    expect([status, headers['www-authenticate'], statementIn(html)]).toEqual([401, 'Bearer', sql])
    // Nothing is wrong with the statement.
    expect(html).not.toContain('aria-invalid')
    const [, main] = html.split('<main')
    const { href } = links(main!).find(({ href }) => href.startsWith('/auth/login'))!
    expect(new URL(href, 'http://here').searchParams.get('return_to')).toBe(asking(sql))
    const long = await page(asking(`SELECT '${'x'.repeat(4_000)}'`))
    expect(
      new URL(
        links(long.html.split('<main')[1]!).find(({ href }) => href.startsWith('/auth/login'))!.href,
        'http://here',
      ).searchParams.get('return_to'),
    ).toBe(at)
    expect((await page(at)).html).toContain('Statements are run for signed-in visitors.')
    expect((await page(at, eve)).html).not.toContain('signed-in visitors')
    // The button keeps the statement.
    const submit = (html: string) => /<button type="submit" class="primary">([^<]*)/.exec(html)![1]
    expect([submit((await page(at)).html), submit(html), submit((await page(at, eve)).html)]).toEqual([
      'Sign in to run',
      'Sign in to run',
      'Run',
    ])
    expect((await page(at)).html).toContain('<input type="hidden" name="sign_in" value="1"')
    const sent = await page(asking(sql, { sign_in: '1' }))
    expect([
      sent.status,
      new URL(sent.headers.location!, 'http://here').searchParams.get('return_to'),
    ]).toEqual([302, asking(sql)])
    expect((await page(asking(sql, { sign_in: '1' }), eve)).status).toBe(200)
    // A statement that the sign-in cannot return to stays on the page.
    const kept = await page(asking(`SELECT '${'x'.repeat(4_000)}'`, { sign_in: '1' }))
    expect([kept.status, statementIn(kept.html).length]).toEqual([401, 4_009])
  })

  test('a visitor without a session finds the public saved questions, and no menu that leads to a refusal', async () => {
    const collection = `/collections${at.replace(/\/sql$/, '')}`
    const save = (name: string, isPublic: boolean) =>
      stage.ada.post(`${collection}/questions`, {
        name,
        sql: 'SELECT 1 AS one',
        version: 'latest',
        public: isPublic,
      })
    expect([(await save('Open one', true)).status, (await save('Hushed one', false)).status]).toEqual([
      201, 201,
    ])
    const stranger = (await page(at)).html
    expect(stranger).toMatch(/Saved questions.*Open one/s)
    expect(stranger).not.toContain('Hushed one')
    expect((await page(at, eve)).html).not.toContain('Open one')
    const records = at.replace(/sql$/, 'records/City')
    const offers = async (as?: string) => (await page(records, as)).html.includes('Run it on the SQL page')
    expect([await offers(), await offers(eve)]).toEqual([false, true])
  })

  test('refusals of the engine are shown with the statement; without an engine there is no form', async () => {
    const { tables } = stage.server.registry
    const { sql, isAvailable } = tables
    const refusedWith = async (code: RefusalCode) => {
      tables.sql = () => Promise.reject(new RegistryError(code, { say: { seconds: 5, reason: 'a reason' } }))
      const { status, html, headers } = await ask('SELECT 1')
      expect([statementIn(html), html.includes('class="note bad"')]).toEqual(['SELECT 1', true])
      return [status, headers['retry-after']]
    }
    try {
      expect(await refusedWith('busy')).toEqual([429, '5'])
      expect(await refusedWith('query_too_costly')).toEqual([422, undefined])
      expect(await refusedWith('sql_unavailable')).toEqual([501, undefined])
      expect(await refusedWith('tables_unavailable')).toEqual([501, undefined])
      tables.isAvailable = false
      const { status, html } = await page(at, eve)
      expect([status, html.includes('<form class="sql-form"')]).toEqual([200, false])
      expect(html).toContain('This server does not run SQL.')
    } finally {
      Object.assign(tables, { sql, isAvailable })
    }
  })

  test('while a table is built, the page shows its progress and loads itself again', async () => {
    const { tables } = stage.server.registry
    const { sql } = tables
    tables.sql = async () => ({ building: { rowsDone: 2, rows: 4 } })
    try {
      const { status, html } = await ask('FROM "City"')
      expect([status, statementIn(html)]).toEqual([200, 'FROM "City"'])
      expect(html).toContain('<meta http-equiv="refresh" content="2"/>')
      expect(html).toContain('2 of 4 records')
    } finally {
      tables.sql = sql
    }
  })
})
