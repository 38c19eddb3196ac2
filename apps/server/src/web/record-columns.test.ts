/** Columns of records: one order, and one form of their numbers, wherever they are shown. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoded } from '../testing/html.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

const names = ['zip_code', 'visitors', 'opened', 'title', 'height', 'city', 'parts', 'note']
/** The note of none has a value. */
const museum = (n: number) => ({
  zip_code: 10_115 + n * 601,
  visitors: n * 3_371 + 950,
  opened: 1_850 + n,
  title: `Museum ${n}`,
  height: [2_100, 8_848][n % 2],
  city: ['Oslo', 'Lund'][n % 2],
  parts: [n],
})
const types: Record<string, object> = {
  ...Object.fromEntries(
    ['zip_code', 'visitors', 'opened', 'height'].map((name) => [name, { type: 'integer' }]),
  ),
  ...Object.fromEntries(['title', 'city', 'note'].map((name) => [name, { type: 'string' }])),
  parts: { type: 'array', items: { type: 'integer' } },
}
const placed = Object.fromEntries(
  names.map((name, place) => [name, { ...types[name], propertyOrder: place }]),
)
const count = 40

describe.each(anyDatabase)('columns of records on $name', (database) => {
  let stage: Stage
  let path: string
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
    path = (await stage.newCollection()).path
    const schemas = {
      Placed: { properties: placed },
      Plain: { properties: types, required: ['opened'] },
      Coded: { properties: { name: { type: 'string' }, code: { type: 'integer' } } },
    }
    const puts = Array.from({ length: count }, (_, n) => [
      ...['Placed', 'Plain'].map((type) => ({ id: `m${n}`, type, data: museum(n) })),
      { id: `${n}`, type: 'Coded', data: { name: `Name ${n}`, code: n } },
    ])
    await stage.push(path, { opening: { schemas }, puts: puts.flat() })
    for (const type of Object.keys(schemas))
      while ((await stage.anyone.get(`${path}/versions/latest/tables/${type}/statistics`)).status === 202);
  })
  afterAll(() => stage.end())

  const page = async (place: string) => {
    const { status, text } = await ada.get(`${path.replace('/collections', '')}/${place}`)
    expect(status, place).toBe(200)
    return text
  }
  /** The names that a part of the page shows or offers, in its order. */
  const namesIn = (html: string) =>
    [...html.matchAll(/>([a-z_]+)</g)].map((match) => match[1]!).filter((name) => names.includes(name))
  const part = (html: string, from: string, to: string) => html.split(from)[1]!.split(to)[0]!
  const api = async (place: string) => (await stage.anyone.get(`${path}/versions/latest/${place}`)).json

  test.each([
    ['Placed', names],
    // The name of a record, what each has, the others by name, and nested ones at the end.
    ['Plain', ['title', 'opened', 'city', 'height', 'note', 'visitors', 'zip_code', 'parts']],
  ])('%s: one order on pages, in SQL, in files and in answers', async (type, order) => {
    const records = await page(`records/${type}?facets=1`)
    // What no record has comes last in the table of records, and there alone.
    const full = order.filter((name) => name !== 'note')
    expect(namesIn(part(records, '<thead>', '<tr class="profiles">'))).toEqual([...full, 'note'])
    expect(namesIn(part(records, '<select name="field"', '</select>'))).toEqual(order)
    expect(namesIn(part(records, '<aside class="facets"', '</aside>'))).toEqual(
      full.filter((name) => ['city', 'height'].includes(name)),
    )
    expect(namesIn(part(await page(`records/${type}/m1`), '<dl class="fields">', '</dl>'))).toEqual(order)
    expect(
      namesIn(await page(`schemas`)).filter((_, n) => Math.floor(n / 8) === (type === 'Placed' ? 0 : 1)),
    ).toEqual(order)
    const tables = part(await page('sql'), 'id="sql-tables"', '</aside>')
    expect(namesIn(part(tables, `>${type}<`, '</details>'))).toEqual(order)
    const listed = (await api('tables')).find((one: { type: string }) => one.type === type)
    expect(listed.columns.map(({ name }: { name: string }) => name)).toEqual(['_id', ...order])
    const { columns } = await api(`tables/${type}/statistics`)
    expect(columns.map(({ field }: { field: string }) => field)).toEqual(['_id', ...order])
    const csv = await stage.anyone.get(`${path}/versions/latest/tables/${type}.csv`)
    expect(csv.text.split('\n')[0]!.trim()).toBe(['_id', ...order].join())
    const sql = await stage.ada.post(`${path}/versions/latest/sql`, { sql: `SELECT * FROM ${type} LIMIT 1` })
    expect(sql.json.columns.map(({ name }: { name: string }) => name)).toEqual(['_id', ...order])
  })

  test('an id that repeats a column is shown once, beside the name of the column', async () => {
    const html = await page('records/Coded')
    expect(part(html, '<thead>', '</thead>')).toMatch(/>id<.*· <bdi>code<.*>name</s)
    expect(part(html, '<tbody>', '</tr>').match(/<t[hd]/g)).toHaveLength(2)
    // A visitor may want both.
    const both = await page('records/Coded?columns=code,name')
    expect(part(both, '<tbody>', '</tr>').match(/<t[hd]/g)).toHaveLength(3)
    expect(both).not.toContain('· <bdi>code')
  })

  test.each<[name: string, place: string, shown: string[]]>([
    ['the table', 'records/Placed', ['10716', '4,321', '1851', '8,848', '2,100']],
    ['a record', 'records/Placed/m1', ['10716', '4,321', '1851', '8,848']],
    ['one that alone looks like a year', 'records/Placed/m2', ['2,100', '7,692', '1852']],
    ['the bounds of a profile', 'records/Placed', ['950', '132,419', '1850', '1889', '33554']],
    ['a chip', 'records/Placed?filter=visitors+lt+1500', ['visitors &lt; 1,500']],
    ['a chip of years', 'records/Placed?filter=opened+lt+1860', ['opened &lt; 1860']],
    ['a chip of codes', 'records/Placed?filter=zip_code+eq+10716', ['zip_code is 10716']],
    ['a citation', 'records/Placed?filter=visitors+lt+2500&cite=1', ['where visitors &lt; 2,500']],
    ['facets', 'records/Placed?facets=1', ['8,848', '2,100']],
    [
      'SQL',
      `sql?sql=${encodeURIComponent('SELECT * FROM Placed ORDER BY opened')}`,
      ['10716', '4,321', '1851'],
    ],
    [
      'a line',
      'records/Placed?view=chart&x=opened&y=mean:height',
      ['1850', '1889', 'opened: 8,848'].slice(0, 2),
    ],
    ['its values', 'records/Placed?view=chart&x=city&y=max:height', ['8,848', '2,100']],
    ['years as values', 'records/Placed?view=chart&x=city&y=max:opened', ['1888', '1889']],
  ])('numbers in %s have separators if they are quantities', async (_, place, shown) => {
    const text = decoded((await page(place)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/ +/g, ' '))
    for (const one of shown) expect(text).toContain(decoded(one))
    expect(text).not.toMatch(/\b1,8\d\d\b|\b10,716\b|[^,\d]8848\b/)
  })
})
