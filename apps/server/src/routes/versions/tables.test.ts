/** Questions about tables over HTTP: docs/queries.md. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { expectStatus, type TestClient, whenBuilt } from '../../testing/test-client.ts'

const schemas = {
  Place: {
    type: 'object',
    properties: {
      country: { type: 'string', 'x-ref-type': 'Country', propertyOrder: 2 },
      name: {
        type: 'object',
        properties: { common: { type: 'string' }, native: { type: 'array', items: { type: 'string' } } },
        required: ['common'],
        additionalProperties: false,
        propertyOrder: 1,
      },
      area: { type: 'number' },
      people: { type: 'integer' },
      founded: { type: 'string', format: 'date' },
      secret: { type: 'string', private: true },
      extra: {},
    },
    required: ['name'],
  },
  Country: { type: 'object', properties: { name: { type: 'string' } } },
  Hidden: { type: 'object', private: true, properties: { code: { type: 'string' } } },
}
const place = (id: string, data: object, more = {}) => ({ id, type: 'Place', data, ...more })
const puts = [
  place('osl', {
    name: { common: 'Oslo', native: ['Oslo', 'Christiania'] },
    country: 'NOR',
    area: 454.12,
    people: 709037,
    founded: '1048-01-01',
    secret: 'red fox',
  }),
  place('tos', {
    name: { common: 'Tromsø' },
    country: 'NOR',
    area: 2523,
    people: 77544,
    secret: 'blue fox',
    extra: { a: 1 },
  }),
  place('sto', {
    name: { common: 'Stockholm "the, capital"' },
    country: 'SWE',
    people: 984748,
    founded: '1252-07-01',
  }),
  place('odd', { name: { common: '' }, people: 1e21, extra: '<b>' }),
  place('hid', { name: { common: 'Atlantis' }, country: 'ATL' }, { private: true }),
  { id: 'NOR', type: 'Country', data: { name: 'Norway' } },
  { id: 'x', type: 'Hidden', data: { code: '007' } },
]

const tablesIn = (folder: string): string[] =>
  readdirSync(join(folder, 'tables'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.duckdb'))

describe.each(serviceDatabases)('tables on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  let path: string
  const ask = (client: TestClient, question: string) =>
    whenBuilt(() => client.get(`${path}/versions/v1.0.0/tables/Place/${question}`))
  const idsOf = async (question: string, client = anyone) => {
    const { json } = await ask(client, `rows?${question}`)
    return json.rows?.map(({ id }: { id: string }) => id) ?? json
  }
  const filtered = (...filters: string[]) =>
    filters.map((filter) => `filter=${encodeURIComponent(filter)}`).join('&')

  beforeAll(async () => {
    stage = await setStage(database)
    ;({ ada, anyone } = stage)
    path = (await stage.newCollection()).path
    await stage.push(path, { opening: { schemas }, puts })
  })
  afterAll(() => stage.end())

  test('lists types with columns in the order of the publisher, each view with its own', async () => {
    const { json } = await anyone.get(`${path}/versions/v1.0.0/tables`)
    expect(json.map(({ type, records }: { type: string; records: number }) => [type, records])).toEqual([
      ['Country', 1],
      ['Place', 4],
    ])
    const { columns, csv, parquet } = json[1]
    expect(columns.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`)).toEqual([
      '_id text',
      'name object',
      'country text',
      'area number',
      'founded date',
      'people integer',
      'extra json',
    ])
    expect(columns[2]).toMatchObject({ path: '/country', refersTo: 'Country', nullable: true })
    expect(parquet).toMatchObject({ state: 'on_demand', bytes: null })
    expect((await whenBuilt(() => anyone.get(csv.url.replace(/^\/api/, '')))).status).toBe(200)
    const own = await ada.get(`${path}/versions/v1.0.0/tables`)
    expect(own.json.map(({ type }: { type: string }) => type)).toEqual(['Country', 'Hidden', 'Place'])
    const asOthers = await ada.get(`${path}/versions/v1.0.0/tables?view=public`)
    expect(asOthers.json.map(({ columns }: { columns: unknown }) => columns)).toEqual(
      json.map(({ columns }: { columns: unknown }) => columns),
    )
  })

  test('rows match words and filters, in order, with the data of the records', async () => {
    expect(await idsOf('q=tromso')).toEqual(['tos'])
    expect(await idsOf('q=CHRISTIANIA%20oslo')).toEqual(['osl'])
    expect(await idsOf('sort=-people,name.common')).toEqual(['sto', 'osl', 'tos', 'odd'])
    expect(await idsOf(filtered('country eq NOR', 'people gt 100000'))).toEqual(['osl'])
    expect(await idsOf(filtered('country in ["SWE","DNK"]'))).toEqual(['sto'])
    expect(await idsOf(filtered('name.common contains "CAPITAL\\""'))).toEqual(['sto'])
    expect(await idsOf(filtered('name.native contains Oslo'))).toEqual(['osl'])
    expect(await idsOf(filtered('founded lt 1100-01-01'))).toEqual(['osl'])
    expect(await idsOf(filtered('country null'))).toEqual(['odd'])
    const { json } = await ask(anyone, `rows?sort=area&limit=1&offset=1`)
    expect(json).toMatchObject({ total: 4, next: 2, rows: [{ id: 'tos' }] })
    const stored = await anyone.get(`${path}/versions/v1.0.0/records/Place/tos`)
    expect(json.rows[0].data).toEqual(stored.json.data)
    const chosen = await ask(anyone, 'rows?columns=name.common,people&q=oslo')
    expect(chosen.json.rows).toEqual([{ id: 'osl', data: { 'name.common': 'Oslo', people: 709037 } }])
    expect(chosen.json.columns.map(({ name }: { name: string }) => name)).toEqual(['name.common', 'people'])
    // A value that its column cannot represent is exact in a row.
    expect((await ask(anyone, `rows?columns=people&${filtered('_id eq odd')}`)).json.rows[0].data).toEqual({
      people: 1e21,
    })
  })

  test('private records, fields and types are absent from answers to others', async () => {
    expect(await idsOf('q=fox')).toEqual([])
    expect(await idsOf('q=fox', ada)).toEqual(['osl', 'tos'])
    expect(await idsOf('q=fox&view=public', ada)).toEqual([])
    expect(await idsOf('q=atlantis')).toEqual([])
    expect(await idsOf('q=atlantis', ada)).toEqual(['hid'])
    for (const question of ['rows?sort=secret', 'facets?facet=secret', `rows?${filtered('secret eq x')}`])
      expect(await ask(anyone, question)).toMatchObject({ status: 400, json: { code: 'unknown_field' } })
    expect((await anyone.get(`${path}/versions/v1.0.0/tables/Hidden/rows`)).json.code).toBe('type_not_found')
    for (const name of ['statistics', 'rows', 'facets?facet=country'])
      expect((await ask(anyone, name)).text).not.toMatch(/fox|secret|Atlantis|ATL/)
    const csv = await whenBuilt(() => anyone.get(`${path}/versions/v1.0.0/tables/Place.csv`))
    expect(csv.text).not.toMatch(/fox|secret|Atlantis|ATL/)
    // Without the missing member `native`.
    expect(csv.text).toContain('tos,"{""common"":""Tromsø""}",NOR')
    const parquet = await whenBuilt(() => anyone.get(`${path}/versions/v1.0.0/tables/Place.parquet`))
    expect(parquet.bytes.toString('latin1')).not.toMatch(/fox|secret|Atlantis|_search/)
  })

  test('facets count values under the filters', async () => {
    const { json } = await ask(anyone, `facets?facet=country&facet=name.native&${filtered('people gt 1')}`)
    expect(json).toEqual({
      total: 3,
      facets: [
        {
          field: 'country',
          values: [
            { value: 'NOR', count: 2 },
            { value: 'SWE', count: 1 },
          ],
          others: 0,
        },
        {
          field: 'name.native',
          values: [
            { value: 'Christiania', count: 1 },
            { value: 'Oslo', count: 1 },
          ],
          others: 0,
        },
      ],
    })
    expect((await ask(anyone, 'facets?facet=name')).json.error).toContain('name one of its members')
    // Facets over all rows are kept beside the table, for each view and column.
    const whole = 'facets?facet=name.native&facet=country'
    for (const client of [ada, anyone]) {
      const { json: counted } = await ask(client, `${whole}&${filtered('_id notnull')}`)
      for (const _again of [1, 2]) expect((await ask(client, whole)).json).toEqual(counted)
    }
  })

  test('statistics are exact, count misfits, and are computed once', async () => {
    const { json } = await ask(anyone, 'statistics')
    expect(json.rows).toBe(4)
    const of = (field: string) => json.columns.find((column: { field: string }) => column.field === field)
    expect(of('people')).toMatchObject({ count: 3, nulls: 1, misfits: 1, min: 77544, max: 984748 })
    expect(of('area')).toMatchObject({ count: 2, mean: (454.12 + 2523) / 2, distinct: 2 })
    expect(of('founded')).toMatchObject({ min: '1048-01-01', max: '1252-07-01' })
    expect((await ask(anyone, 'statistics')).json).toEqual(json)
  })

  test('CSV has a header, quotes what needs it, and takes the question', async () => {
    const at = `${path}/versions/v1.0.0/tables/Place.csv`
    const { text, headers } = await anyone.get(
      `${at}?sort=name.common&columns=_id,name.common,area,extra,name.native`,
    )
    expect(text).toBe(
      [
        '_id,name.common,area,extra,name.native',
        'odd,"","","""<b>""",',
        'osl,Oslo,454.12,,"[""Oslo"",""Christiania""]"',
        'sto,"Stockholm ""the, capital""",,,',
        'tos,Tromsø,2523,"{""a"":1}",',
        '',
      ]
        .join('\n')
        .replace('"","",', '"",,'),
    )
    const byNumber = await whenBuilt(() => anyone.get(`${at}?sort=-people&columns=people,founded`))
    expect(byNumber.text).toBe('people,founded\n984748,1252-07-01\n709037,1048-01-01\n77544,\n,\n')
    const byArea = await whenBuilt(() => anyone.get(`${at}?sort=-area&columns=area`))
    expect(byArea.text).toBe('area\n2523\n454.12\n\n\n')
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toMatch(/-v1\.0\.\d-Place\.csv"$/)
    const marked = await anyone.get(`${at}?bom=1&${filtered('country eq SWE')}&columns=_id`)
    expect(marked.text).toBe('\uFEFF_id\nsto\n')
    const again = await anyone.get(`${at}?columns=_id`, {
      'if-none-match': (await anyone.get(`${at}?columns=_id`)).headers.etag!,
    })
    expect(again.status).toBe(304)
  })

  test('Parquet has all records once, supports ranges, and is listed with its size and hash', async () => {
    const at = `${path}/versions/v1.0.0/tables/Place.parquet`
    const whole = await whenBuilt(() => anyone.get(at))
    expect(whole.status).toBe(200)
    expect(whole.bytes.subarray(0, 4).toString()).toBe('PAR1')
    const { status, bytes, headers } = await anyone.get(at, { range: 'bytes=-4' })
    expect([status, bytes.toString(), headers['content-length']]).toEqual([206, 'PAR1', '4'])
    expect((await anyone.get(at, { range: 'bytes=99999999-' })).status).toBe(416)
    expect((await anyone.request('HEAD', at)).headers['content-length']).toBe(String(whole.bytes.length))
    const { json } = await anyone.get(`${path}/versions/v1.0.0/tables`)
    expect(json[1].parquet).toMatchObject({ state: 'ready', bytes: whole.bytes.length })
  })

  test.each([
    ['rows?filter=nme.common%20eq%20x', 'unknown_field', /"nme.common".*"name.common"/],
    ['rows?filter=people%20gt%20many', 'invalid_request', /"many" is not an integer/],
    ['rows?filter=people', 'invalid_request', /is not a filter/],
    ['rows?limit=0', 'invalid_request', /limit/],
    ['rows?fitler=a', 'invalid_request', /fitler/],
    ['facets', 'invalid_request', /facet/],
    ['rows?columns=', 'invalid_request', /list of fields/],
  ])('%s is refused with the reason', async (question, code, sentence) => {
    const { status, json } = await ask(anyone, question)
    expect([status, json.code]).toEqual([400, code])
    expect(json.error).toMatch(sentence)
  })

  test('a metadata update builds nothing', async () => {
    await ask(anyone, 'rows')
    const before = tablesIn(stage.server.dataFolder)
    await expectStatus(ada.patch(`${path}/metadata`, { description: 'New words.' }))
    expect((await whenBuilt(() => anyone.get(`${path}/versions/v1.0.1/tables/Place/rows`))).json.total).toBe(
      4,
    )
    expect(tablesIn(stage.server.dataFolder)).toEqual(before)
  })

  test('a damaged table is rebuilt', async () => {
    const other = (await stage.newCollection()).path
    await stage.push(other, { opening: { schemas: { Country: {} } }, puts: [puts[5]!] })
    const at = `${other}/versions/v1.0.0/tables/Country/rows`
    const before = tablesIn(stage.server.dataFolder)
    await whenBuilt(() => anyone.get(at))
    const [file] = tablesIn(stage.server.dataFolder).filter((name) => !before.includes(name))
    const place = join(stage.server.dataFolder, 'tables', file!)
    // No process has the file open any more.
    rmSync(place)
    writeFileSync(place, 'damaged')
    await whenBuilt(() => anyone.get(`${other}/versions/v1.0.0/tables/Country.csv`))
    expect(readFileSync(place).length).toBeGreaterThan(1_000)
  })

  test('CSV files that are not read yet take their share of the disk', async () => {
    const other = await setStage(database, { tablesBytes: 1 })
    const { path: at } = await other.newCollection()
    await other.push(at, { opening: { schemas: { Country: {} } }, puts: [puts[5]!] })
    const head = () => other.anyone.request('HEAD', `${at}/versions/v1.0.0/tables/Country.csv`)
    const statuses = [(await head()).status, (await head()).status]
    await other.end()
    expect(statuses).toEqual([200, 429])
  })

  test('an empty type has a table without rows', async () => {
    const empty = (await stage.newCollection()).path
    await stage.push(empty, {
      opening: { schemas: { Country: schemas.Country, Other: {} } },
      puts: [puts[5]!],
    })
    const at = `${empty}/versions/v1.0.0/tables/Other`
    expect((await whenBuilt(() => anyone.get(`${at}/rows`))).json).toMatchObject({
      rows: [],
      total: 0,
      next: null,
    })
    expect((await whenBuilt(() => anyone.get(`${at}.csv`))).text).toBe('_id,data\n')
    expect((await whenBuilt(() => anyone.get(`${at}/statistics`))).json.rows).toBe(0)
    expect((await whenBuilt(() => anyone.get(`${at}.parquet`))).status).toBe(200)
  })
})
